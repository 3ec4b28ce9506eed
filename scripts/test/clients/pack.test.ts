// What a stranger gets: the package is made, installed in an empty folder without a registry, and its quickstart runs there.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, it } from 'vitest'
import { ROOT } from '../../run.mjs'

const folder = mkdtempSync(join(tmpdir(), 'sauti-pack-test-'))
const empty = join(folder, 'empty')
let quickstart: ChildProcess | undefined
afterAll(() => {
  quickstart?.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

async function fetchPage(url: string): Promise<{ status: number | undefined; body: string }> {
  const request = get(url, { ca: readFileSync(join(empty, '.sauti/tls/ca.pem')), agent: false })
  const [response] = await once(request, 'response')
  return { status: response.statusCode, body: await text(response) }
}

/** Entries that do not belong to root, or that only their owner may read: root unpacks them for another user. */
function findUnfitEntries(archive: string): string[] {
  const listing = execFileSync('tar', ['-tvzf', archive, '--numeric-owner'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return listing.split('\n').filter(line => line !== '' && !/^\S{4}r\S{2}r\S+ +(\d+ +)?0(\/| +)0 /.test(line))
}

/** Runs the quickstart until it has said this, and gives all that it said. */
async function runQuickstart(until: string) {
  const program = join(empty, 'node_modules/.bin/sauti')
  const env = { PATH: process.env.PATH, HOME: folder, SAUTI_PORT: '0', SAUTI_RECOGNISER_WORKERS: '1' }
  const child = spawn(program, ['quickstart'], { cwd: empty, env, stdio: ['ignore', 'pipe', 'inherit'] })
  quickstart = child
  let output = ''
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk
    if (output.includes(until)) break
  }
  const stop = async () => {
    child.kill('SIGTERM')
    return (await once(child, 'exit'))[0]
  }
  return { output, stop }
}

it('installs in an empty folder without a registry, and its quickstart transcribes and serves every page', async () => {
  execFileSync(process.execPath, [join(ROOT, 'scripts/pack.mjs'), folder])
  const archive = readdirSync(folder).find(name => name.endsWith('.tgz'))!
  expect(findUnfitEntries(join(folder, archive))).toEqual([])
  mkdirSync(empty)
  const install = ['install', '--offline', '--cache', join(folder, 'cache'), join(folder, archive)]
  execFileSync('npm', install, { cwd: empty, stdio: ['ignore', 'ignore', 'pipe'] })
  const { output, stop } = await runQuickstart('until Ctrl-C')
  expect(output).toMatch(/\(Kikuyu\):\n +heard +\S+ \S+.*\n[\s\S]*\(Dholuo\):\n +heard +\S+ \S+/)
  const [, url] = /Docs +(\S+)\/docs/.exec(output)!
  expect(await fetchPage(`${url}/`)).toMatchObject({ status: 200, body: expect.stringContaining('<html') })
  // Highlighting may put tags between the parts of a line.
  const docs = (await fetchPage(`${url}/docs/reference/client`)).body.replaceAll(/<[^>]+>/g, '')
  const [client] = /\/downloads\/sauti-client-[\d.]+\.tgz/.exec(docs)!
  expect(await fetchPage(`${url}${client}`)).toMatchObject({ status: 200 })
  expect(await stop()).toBe(0)
}, 600_000)
