import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, createServer } from 'node:tls'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Config, readConfig } from '#server/settings/config.js'
import { watchCertificate } from '#server/tls/certificate-watch.js'
import { issueAuthority, issueServerCertificate, mayVouchFor } from '#server/tls/local-authority.js'
import { loadTls } from '#server/tls/tls.js'

const DAY_MS = 86_400_000
const NOW = new Date()
let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sauti-tls-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

function config(env: Record<string, string> = {}): Config {
  return readConfig({ SAUTI_DATA_DIR: dataDir, ...env })
}

function modeOf(path: string): number {
  return statSync(join(dataDir, path)).mode & 0o777
}

describe('the local certificate', () => {
  it.each(['localhost', '127.0.0.1'])(
    'is trusted by a client that trusts the authority, for %s',
    async host => {
      const tls = (await loadTls(config(), NOW))!
      const server = createServer({ cert: tls.cert, key: tls.key }, socket => socket.end()).listen(
        0,
        '127.0.0.1',
      )
      await once(server, 'listening')
      const ca = readFileSync(tls.authorityFile!)
      const { port } = server.address() as AddressInfo
      const name = host === 'localhost' ? { servername: 'localhost' } : {}
      const socket = connect({ host: '127.0.0.1', port, ca, ...name })
      await once(socket, 'secureConnect')
      expect(socket.authorized).toBe(true)
      socket.destroy()
      server.close()
    },
  )

  it('keeps its keys and folder from other users', async () => {
    await loadTls(config(), NOW)
    expect(modeOf('tls')).toBe(0o700)
    expect([modeOf('tls/ca-key.pem'), modeOf('tls/server-key.pem')]).toEqual([0o600, 0o600])
  })

  it('stays the same over restarts', async () => {
    const first = await loadTls(config(), NOW)
    expect(await loadTls(config(), new Date(NOW.getTime() + 300 * DAY_MS))).toEqual(first)
  })

  it('is renewed when it nears its end, by the same authority', async () => {
    const first = (await loadTls(config(), NOW))!
    const authority = readFileSync(first.authorityFile!, 'utf8')
    const later = (await loadTls(config(), new Date(NOW.getTime() + 800 * DAY_MS)))!
    expect(later.cert).not.toBe(first.cert)
    expect(readFileSync(later.authorityFile!, 'utf8')).toBe(authority)
  })

  it('is renewed when the names change, and then covers all of them', async () => {
    const first = (await loadTls(config(), NOW))!
    const names = { SAUTI_HOST: '192.0.2.7', SAUTI_PUBLIC_URL: 'https://asr.example.org' }
    const certificate = new X509Certificate((await loadTls(config(names), NOW))!.cert)
    expect(certificate.toString()).not.toBe(first.cert)
    for (const ip of ['127.0.0.1', '::1', '192.0.2.7']) expect(certificate.checkIP(ip)).toBe(ip)
    for (const name of ['localhost', 'asr.example.org']) expect(certificate.checkHost(name)).toBe(name)
  })

  it('is made again when a file is damaged', async () => {
    const first = (await loadTls(config(), NOW))!
    writeFileSync(join(dataDir, 'tls/server.pem'), 'half a certif')
    const second = (await loadTls(config(), NOW))!
    expect(new X509Certificate(second.cert).serialNumber).not.toBe(
      new X509Certificate(first.cert).serialNumber,
    )
  })
})

describe('a certificate of the operator', () => {
  const own = (cert: string, key: string) =>
    config({ SAUTI_TLS_CERT: join(dataDir, cert), SAUTI_TLS_KEY: join(dataDir, key) })

  beforeEach(async () => {
    await loadTls(config(), NOW)
    copyFileSync(join(dataDir, 'tls/server.pem'), join(dataDir, 'own.pem'))
    copyFileSync(join(dataDir, 'tls/server-key.pem'), join(dataDir, 'own-key.pem'))
    copyFileSync(join(dataDir, 'tls/ca-key.pem'), join(dataDir, 'other-key.pem'))
  })

  it('is used as it is', async () => {
    const tls = await loadTls(own('own.pem', 'own-key.pem'), NOW)
    expect(tls).toEqual({
      cert: readFileSync(join(dataDir, 'own.pem'), 'utf8'),
      key: readFileSync(join(dataDir, 'own-key.pem'), 'utf8'),
      authorityFile: undefined,
    })
  })

  it.each([
    ['missing.pem', 'own-key.pem', /SAUTI_TLS_CERT: cannot read .*missing.pem \(ENOENT\)/],
    ['own.pem', 'other-key.pem', /SAUTI_TLS_KEY: .*other-key.pem is not the key of the certificate/],
    ['own-key.pem', 'own-key.pem', /SAUTI_TLS_CERT: .*own-key.pem holds no certificate in PEM/],
    ['own.pem', 'own.pem', /SAUTI_TLS_KEY: .*own.pem holds no private key in PEM/],
  ])('is refused clearly: %s with %s', async (cert, key, message) => {
    await expect(loadTls(own(cert, key), NOW)).rejects.toThrow(message)
  })

  it('is refused when it has expired', async () => {
    const later = new Date(NOW.getTime() + 900 * DAY_MS)
    await expect(loadTls(own('own.pem', 'own-key.pem'), later)).rejects.toThrow(/own.pem expired on/)
  })
})

describe('SAUTI_TLS=off', () => {
  it('makes no certificate', async () => {
    const off = config({ SAUTI_TLS: 'off', SAUTI_PUBLIC_URL: 'https://asr.example.org' })
    expect(await loadTls(off, NOW)).toBeUndefined()
  })
})

describe('the local authority', () => {
  const connectTo = async (pair: { cert: string; key: string }, ca: string, servername: string) => {
    const server = createServer(pair, socket => socket.end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const socket = connect({ host: '127.0.0.1', port, ca, servername })
    // `once` rejects with the error that comes instead.
    const outcome = await once(socket, 'secureConnect').then(
      () => 'trusted',
      error => error.message as string,
    )
    socket.destroy()
    server.close()
    return outcome
  }

  it('may sign for the names of this installation and for no others', async () => {
    const authority = await issueAuthority(['localhost', 'sauti.example', '127.0.0.1', '2001:db8::7'], NOW)
    const issue = (name: string) => issueServerCertificate(authority, [name], NOW)
    expect(await connectTo(await issue('sauti.example'), authority.cert, 'sauti.example')).toBe('trusted')
    expect(await connectTo(await issue('bank.example'), authority.cert, 'bank.example')).toBe(
      'permitted subtree violation',
    )
    expect(mayVouchFor(authority, ['sauti.example', '2001:db8:0::7'])).toBe(true)
    expect(mayVouchFor(authority, ['other.example'])).toBe(false)
    expect(mayVouchFor(authority, ['127.0.0.2'])).toBe(false)
  })

  it('is made again when the service gets another name', async () => {
    const first = (await loadTls(config({ SAUTI_PUBLIC_URL: 'https://one.example' }), NOW))!
    const before = readFileSync(first.authorityFile!, 'utf8')
    await loadTls(config({ SAUTI_PUBLIC_URL: 'https://one.example' }), NOW)
    expect(readFileSync(first.authorityFile!, 'utf8')).toBe(before)
    await loadTls(config({ SAUTI_PUBLIC_URL: 'https://two.example' }), NOW)
    expect(readFileSync(first.authorityFile!, 'utf8')).not.toBe(before)
  })
})

describe('a certificate that is renewed', () => {
  it('is used by the next connection, and a wrong file changes nothing', async () => {
    const first = (await loadTls(config(), NOW))!
    const server = createServer({ cert: first.cert, key: first.key }, socket => socket.end())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const messages: string[] = []
    const log = pino({}, { write: line => void messages.push(JSON.parse(line).msg) })
    const watch = watchCertificate({ config: config(), intervalMs: 20, inUse: first, server, log })
    const serial = async () => {
      const { port } = server.address() as AddressInfo
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
      await once(socket, 'secureConnect')
      const { serialNumber } = socket.getPeerCertificate()
      socket.destroy()
      return serialNumber
    }
    const before = await serial()
    // The next look makes a new one.
    rmSync(join(dataDir, 'tls/server.pem'))
    await vi.waitFor(() => expect(messages).toContain('the certificate was replaced'), { timeout: 10_000 })
    expect(await serial()).not.toBe(before)
    watch.stop()
    server.close()
  })
})
