// None of our clients sends anything to a service whose certificate is wrong, and none waits for a handshake that broke off.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { SautiClient } from '@sauti/client'
import { createTransport } from '@sauti/client/node'
import { issueAuthority } from '@sauti/server/tls/local-authority.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFolder, runSauti } from '../../../cli/test/support/run-sauti.ts'
import { CERTIFICATE_FAULTS, startImpostor } from '../../../server/test/support/faults/impostor.ts'
import { isMissing, pathOf } from '../../../server/test/support/programs.ts'

const PYTHON_CLIENT = fileURLToPath(new URL('../../python', import.meta.url))
const KEY = 'sk_test_0000000000000000000000000000000000000000000'

const files = makeFolder()
const ca = files.path('ca.pem')
let authority: Awaited<ReturnType<typeof issueAuthority>>
beforeAll(async () => {
  authority = await issueAuthority(['127.0.0.1', 'localhost'], new Date())
  writeFileSync(ca, authority.cert)
})
afterAll(() => files.remove())

async function askForModels(baseUrl: string): Promise<unknown> {
  const { fetch } = createTransport(ca)
  const client = new SautiClient({ baseUrl, apiKey: KEY, maxRetries: 0, ...(fetch ? { fetch } : {}) })
  return client.models()
}

/** How a connection ends: `open`, or the code of the error. */
async function openSocket(url: string): Promise<string> {
  const socket = createTransport(ca).connect(url, []) as unknown as NodeJS.EventEmitter
  return new Promise(resolve => {
    socket.on('open', () => resolve('open'))
    socket.on('error', error => resolve(String(error.code)))
  })
}

async function askInPython(url: string): Promise<string> {
  const program = `import asyncio, sauti
try:
    print(asyncio.run(sauti.Sauti("${url}", "${KEY}", ca="${ca}", max_retries=0).models()))
except sauti.SautiError as error:
    print(error.code)`
  const child = spawn(pathOf('python'), ['-B', '-c', program], { cwd: PYTHON_CLIENT })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (said += text))
  await once(child, 'close')
  return said.trim()
}

describe.each(CERTIFICATE_FAULTS)('an %s', fault => {
  let impostor: Awaited<ReturnType<typeof startImpostor>>
  let url: string
  beforeAll(async () => {
    impostor = await startImpostor(fault, authority)
    url = `https://127.0.0.1:${impostor.port}`
  })
  afterAll(async () => {
    expect(impostor.heardBytes).toBe(0)
    await impostor.close()
  })

  it('would be heard by a client that does not check it', async () => {
    const careless = await startImpostor(fault, authority)
    const socket = connect({ host: '127.0.0.1', port: careless.port, rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    socket.write('a key')
    await expect.poll(() => careless.heardBytes).toBe(5)
    socket.destroy()
    await careless.close()
  })

  it('is not trusted by the SDK', async () => {
    await expect(askForModels(url)).rejects.toMatchObject({ code: 'certificate_untrusted' })
    expect(await openSocket(url.replace('https', 'wss'))).toMatch(/CERT|UNABLE_TO|SIGNATURE/)
  })

  it('is not trusted by the command', async () => {
    const env = { SAUTI_URL: url, SAUTI_API_KEY: KEY, SAUTI_CA: ca }
    const { code, err } = await runSauti(['models'], { env })
    expect(code).not.toBe(0)
    expect(err).toContain('not trusted')
  })

  it.skipIf(isMissing('python'))('is not trusted by the Python client', async () => {
    expect(await askInPython(url)).toBe('certificate_untrusted')
  })
})

describe('a handshake that breaks off', () => {
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    // Half of the first record of an answer, and then nothing.
    socket.once('data', () => socket.end(Buffer.from([0x16, 0x03, 0x03, 0x00, 0x7a, 0x02])))
  })
  let url: string
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => void server.close())

  it('is told by the SDK', async () => {
    await expect(askForModels(url)).rejects.toMatchObject({ code: 'connection_failed' })
    expect(await openSocket(url.replace('https', 'wss'))).not.toBe('open')
  })

  it.skipIf(isMissing('python'))('is told by the Python client', async () => {
    expect(await askInPython(url)).toBe('connection_failed')
  })
})
