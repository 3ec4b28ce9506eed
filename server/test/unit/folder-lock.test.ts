import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FolderInUseError, lockFolder } from '#server/db/folder-lock.js'

const MODULE = import.meta.resolve('#server/db/folder-lock.js')
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sauti-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Another process that takes the lock and holds it until it is killed; says how it went. */
async function lockInAnotherProcess(path: string) {
  const code = `
    const { lockFolder } = await import(${JSON.stringify(MODULE)})
    try { await lockFolder(process.argv[1]); console.log('held'); setInterval(() => {}, 1000) }
    catch (error) { console.log(error.name) }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await once(child.stdout, 'data')
  return { child, outcome: String(said).trim() }
}

describe('lockFolder', () => {
  it('gives the folder to the second only after the first has released it', async () => {
    const first = await lockFolder(folder)
    const refused = lockFolder(folder)
    await expect(refused).rejects.toThrow(FolderInUseError)
    await expect(refused).rejects.toThrow(`the data folder ${folder} is in use by process ${process.pid}`)
    await first.release()
    await (await lockFolder(folder)).release()
  })

  it('gives the folder to exactly one of many that ask at once, again and again', async () => {
    for (let round = 0; round < 40; round++) {
      const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => lockFolder(folder)))
      const held = outcomes.filter(outcome => outcome.status === 'fulfilled')
      expect(held).toHaveLength(1)
      await held[0]!.value.release()
    }
    expect(readdirSync(folder)).toHaveLength(1)
  })

  it('gives the folder to exactly one of many processes, and a killed one blocks nobody', async () => {
    for (let round = 0; round < 3; round++) {
      const starters = await Promise.all(Array.from({ length: 4 }, () => lockInAnotherProcess(folder)))
      expect(starters.map(({ outcome }) => outcome).sort()).toEqual([
        'FolderInUseError',
        'FolderInUseError',
        'FolderInUseError',
        'held',
      ])
      const holder = starters.find(({ outcome }) => outcome === 'held')!.child
      await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${holder.pid}`)
      holder.kill('SIGKILL')
      await once(holder, 'exit')
    }
    await (await lockFolder(folder)).release()
  })

  it('works in a folder whose path is far longer than a socket address', async () => {
    const deep = join(folder, 'a-rather-long-name-of-a-folder'.repeat(5), 'and-one-more')
    const lock = await lockFolder(deep)
    await expect(lockFolder(deep)).rejects.toThrow(FolderInUseError)
    await lock.release()
  })

  it('does not mistake other files in the folder for locks', async () => {
    for (const name of ['lock.pid', 'lock.1x', 'lock']) mkdirSync(join(folder, name))
    await (await lockFolder(folder)).release()
  })
})
