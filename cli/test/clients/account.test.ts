// sauti login, usage and models against the real service; completion in the shells that are here.

import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, startBench } from '../../../sdk/test/support/bench.ts'
import { makeFolder, runSauti } from '../support/run-sauti.ts'

let bench: Bench
const { path, remove } = makeFolder()
beforeAll(async () => {
  bench = await startBench()
  writeFileSync(path('ca.pem'), bench.service.ca)
})
afterAll(async () => {
  await bench.stop()
  remove()
})

const env = () => ({ XDG_CONFIG_HOME: path('config') })

test('login checks the key, keeps it for its owner alone, and the other commands find it', async () => {
  const { key } = await bench.customer({ creditMs: 90_061_000 })
  const login = ['login', '--url', bench.baseUrl, '--ca', path('ca.pem')]
  const wrong = await runSauti(login, { env: env(), input: 'svc_live_v1_wrong\n' })
  expect(wrong).toMatchObject({ code: 3, out: '' })
  const { code, out, err } = await runSauti(login, { env: env(), input: `${key}\n` })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('90061 seconds')
  expect(out).not.toContain(key)
  const file = path('config/sauti/config.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ url: bench.baseUrl, api_key: key })

  expect((await runSauti(['usage'], { env: env() })).out).toContain('25 h 1 min 1 s')
  expect((await runSauti(['models'], { env: env() })).out).toContain('svc-asr-dholuo-v1')
  const elsewhere = await runSauti(['usage', '--url', 'https://127.0.0.1:9'], { env: env() })
  expect(elsewhere).toMatchObject({
    code: 3,
    err: expect.stringMatching(/^No API key is set\. Set SAUTI_API_KEY/),
  })

  chmodSync(file, 0o644)
  expect(await runSauti(['usage'], { env: env() })).toMatchObject({
    code: 1,
    err: expect.stringContaining('chmod 600'),
  })
})

test('usage draws the sessions', async () => {
  const { key } = await bench.customer()
  const client = bench.client(key)
  for (const seconds of [1, 3]) {
    const live = bench.open(await client.createSession({ model: 'svc-asr-kikuyu-v1' }))
    await live.send(new Int16Array(seconds * 16_000))
    await live.flush()
    await live.close()
  }
  const settings = { SAUTI_URL: bench.baseUrl, SAUTI_API_KEY: key, SAUTI_CA: path('ca.pem') }
  const { out } = await runSauti(['usage'], { env: settings })
  const rows = out.split('\n').filter(line => line.includes('kikuyu'))
  expect(rows.map(row => row.match(/█/g)?.length)).toEqual([24, 8])
  const json = JSON.parse((await runSauti(['usage', '--json'], { env: settings })).out)
  expect(json).toMatchObject({ object: 'credit_balance', consumed_ms: 4_000 })
})

test('a session that was not opened is cancelled', async () => {
  const { key } = await bench.customer()
  const { id } = await bench.client(key).createSession({ model: 'svc-asr-kikuyu-v1' })
  const settings = { SAUTI_URL: bench.baseUrl, SAUTI_API_KEY: key, SAUTI_CA: path('ca.pem') }
  const { code, out } = await runSauti(['sessions', 'cancel', id], { env: settings })
  expect({ code, out }).toEqual({ code: 0, out: `session ${id} is cancelled\n` })
  expect(await bench.client(key).usage()).toMatchObject({ reserved_ms: 0 })
})

test('a service of this machine is trusted by the authority in its data folder', async () => {
  const port = bench.service.port
  const local = { SAUTI_URL: `https://localhost:${port}` }
  expect(await runSauti(['models'], { env: local })).toMatchObject({
    code: 5,
    err: expect.stringMatching(/SAUTI_CA.*--ca FILE/),
  })
  const trusted = await runSauti(['models'], { env: { ...local, SAUTI_DATA_DIR: bench.service.dataDir } })
  expect(trusted).toMatchObject({ code: 0, err: '' })
})

test.each(['bash', 'zsh', 'fish'])('completion for %s names every command', async shell => {
  const { code, out } = await runSauti(['completion', shell])
  expect(code).toBe(0)
  for (const word of ['transcribe', 'accounts', 'revoke', 'look-ahead']) expect(out).toContain(word)
  if (shell !== 'bash') return
  const script = `${out}
    complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _sauti; echo "\${COMPREPLY[@]}"; }
    complete_line sauti us; complete_line sauti keys rev; complete_line sauti models ""; complete_line sauti keys create --exp`
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n')).toEqual([
    'usage',
    'revoke',
    expect.stringContaining('import'),
    '--expires-in',
  ])
})

test('reports a wrong shell, a wrong address and an unknown command', async () => {
  expect(await runSauti(['completion', 'tcsh'])).toMatchObject({ code: 2 })
  expect(await runSauti(['models', '--url', 'sauti.example'])).toMatchObject({ code: 2 })
  expect(await runSauti(['transcode'])).toMatchObject({ code: 2, err: expect.stringContaining('no command') })
})

test('doctor finds what works and what does not, and says how to fix it', async () => {
  const { key } = await bench.customer()
  const env = {
    SAUTI_URL: bench.baseUrl,
    SAUTI_API_KEY: key,
    SAUTI_CA: path('ca.pem'),
    SAUTI_DATA_DIR: path('no-data'),
  }
  const examine = async (more: Record<string, string> = {}) => {
    const { out } = await runSauti(['doctor', '--json'], { env: { ...env, ...more } })
    const { findings } = JSON.parse(out) as { findings: { check: string; state: string; fix?: string }[] }
    return Object.fromEntries(findings.map(finding => [finding.check, finding]))
  }
  const well = await examine()
  for (const check of ['settings', 'service', 'certificate', 'API key', 'models'])
    expect(well[check], check).toMatchObject({ state: 'good' })
  expect(await examine({ SAUTI_CA: '' })).toMatchObject({
    certificate: { state: 'bad', fix: expect.stringContaining('SAUTI_CA') },
  })
  expect(await examine({ SAUTI_API_KEY: 'svc_live_v1_no' })).toMatchObject({ 'API key': { state: 'bad' } })
  expect(await examine({ SAUTI_URL: 'https://127.0.0.1:9' })).toMatchObject({
    service: { state: 'bad', fix: expect.stringContaining('sauti serve') },
  })
})
