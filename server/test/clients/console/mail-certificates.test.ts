// A mail server with a wrong certificate gets neither the password nor a mail, and one that breaks off is not waited for.

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMailer } from '#server/http/console/mail.js'
import {
  type CertificateAndKey,
  issueAuthority,
  issueServerCertificate,
} from '#server/tls/local-authority.js'
import { CERTIFICATE_FAULTS, issueWrong } from '../../support/faults/impostor.ts'

const MAIL = { to: 'atieno@mail.test', subject: 'A link', text: 'A secret link' }
let authority: CertificateAndKey
beforeAll(async () => {
  authority = await issueAuthority(['127.0.0.1', 'localhost'], new Date())
})

interface MailServer {
  readonly url: string
  /** Passwords and mails that it was given. */
  readonly taken: string[]
  stop(): Promise<void>
}

/** `secure`: TLS from the beginning; otherwise STARTTLS. */
async function startMailServer(certificate: CertificateAndKey, secure: boolean): Promise<MailServer> {
  const taken: string[] = []
  const server = new SMTPServer({
    ...certificate,
    secure,
    authMethods: ['PLAIN'],
    onAuth: ({ username, password }, _session, done) => {
      taken.push(password!)
      done(null, { user: username })
    },
    onData: (stream, _session, done) => {
      stream.on('data', part => taken.push(String(part)))
      stream.on('end', done)
    },
  })
  // Clients that go away in the middle of a handshake.
  server.on('error', () => undefined)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.server.address() as AddressInfo
  const trust = `tls.ca=${encodeURIComponent(authority.cert)}`
  return {
    url: `${secure ? 'smtps' : 'smtp'}://sauti:password@127.0.0.1:${port}?${trust}`,
    taken,
    stop: () => new Promise(done => server.close(done)),
  }
}

const send = (url: string) => createMailer(url, 'Sauti <sauti@mail.test>').send(MAIL)

describe.each([
  ['TLS', true],
  ['STARTTLS', false],
])('with %s', (_name, secure) => {
  it('a mail server with a good certificate gets the mail', async () => {
    const server = await startMailServer(
      await issueServerCertificate(authority, ['127.0.0.1'], new Date()),
      secure,
    )
    await send(server.url)
    expect(server.taken.join()).toContain('A secret link')
    await server.stop()
  })

  it.each(CERTIFICATE_FAULTS)('a mail server with an %s gets nothing', async fault => {
    const server = await startMailServer(await issueWrong(fault, authority), secure)
    await expect(send(server.url)).rejects.toThrow()
    expect(server.taken).toEqual([])
    await server.stop()
  })
})

it('a mail server that breaks off in the handshake is reported at once', async () => {
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.from([0x16, 0x03, 0x03, 0x00, 0x7a, 0x02])))
  })
  afterAll(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  await expect(send(`smtps://127.0.0.1:${(server.address() as AddressInfo).port}`)).rejects.toThrow()
})
