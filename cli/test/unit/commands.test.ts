import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { COMMAND_FILES, LISTED, loadCommand } from '#cli/commands/all.js'
import { makeFolder, runSauti } from '../support/run-sauti.ts'

/** The files of commands that a call loads, as Node's coverage knows them. */
async function filesLoadedBy(...args: string[]): Promise<string[]> {
  const { folder, path, remove } = makeFolder()
  onTestFinished(remove)
  await runSauti(args, { env: { NODE_V8_COVERAGE: folder } })
  const [report] = readdirSync(folder)
  const { result } = JSON.parse(readFileSync(path(report!), 'utf8'))
  const urls: string[] = result.map(({ url }: { url: string }) => url)
  return urls.filter(url => url.includes('/cli/dist/commands/')).map(url => basename(url))
}

it('lists what the files hold: the same commands, in the same order, of the same kind', async () => {
  for (const { commands, usesNetwork = false, load } of COMMAND_FILES) {
    const loaded = await load()
    expect(loaded.map(({ name }) => name)).toEqual(Object.keys(commands))
    for (const { options } of loaded) expect('url' in options).toBe(usesNetwork)
  }
})

it('loads every command that is listed', async () => {
  for (const { name } of LISTED) expect((await loadCommand(name)).name).toBe(name)
})

it('explains all commands, a group of them and a misspelt one without loading any', async () => {
  expect(await filesLoadedBy('--help')).toEqual(['all.js'])
  expect(await filesLoadedBy('keys')).toEqual(['all.js'])
  expect(await filesLoadedBy('transcripe')).toEqual(['all.js'])
  expect(await filesLoadedBy('nodes', '--help')).toEqual(['all.js', 'nodes.js'])
})
