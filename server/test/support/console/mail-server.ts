// A real SMTP server on this machine, with STARTTLS and a password, that keeps what it takes or refuses recipients.

import { SMTPServer } from 'smtp-server'
import { expect } from 'vitest'

const USER = 'sauti'
const PASSWORD = 'mail password'

export class MailServer {
  readonly mails: string[] = []
  /** Whether each mail came over TLS and signed in. */
  readonly secured: boolean[] = []
  refuses = false
  readonly #server = new SMTPServer({
    authMethods: ['PLAIN', 'LOGIN'],
    onAuth: ({ username, password }, _session, done) =>
      username === USER && password === PASSWORD
        ? done(null, { user: username })
        : done(new Error('wrong password')),
    onRcptTo: (_address, _session, done) => done(this.refuses ? new Error('nobody here') : null),
    onData: (stream, session, done) => {
      const parts: Buffer[] = []
      stream.on('data', part => parts.push(part))
      stream.on('end', () => {
        this.mails.push(Buffer.concat(parts).toString())
        this.secured.push(session.secure && session.user === USER)
        done()
      })
    },
  })

  /** The address for SAUTI_SMTP_URL. Its certificate is its own, so the test's client does not check it. */
  async start(): Promise<string> {
    await new Promise<void>(done => this.#server.listen(0, '127.0.0.1', done))
    const address = this.#server.server.address()
    const port = typeof address === 'object' && address?.port
    return `smtp://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}?tls.rejectUnauthorized=false`
  }

  stop(): Promise<void> {
    return new Promise(done => this.#server.close(done))
  }

  /** Waits for a mail that holds the words, and takes it. */
  async take(...words: string[]): Promise<string> {
    const isIt = (mail: string) => words.every(word => plain(mail).includes(word))
    await expect.poll(() => this.mails.some(isIt), { timeout: 20_000 }).toBe(true)
    const [mail] = this.mails.splice(this.mails.findIndex(isIt), 1)
    return plain(mail!)
  }
}

/** Quoted-printable undone, as far as our letters need it. */
function plain(mail: string): string {
  return mail.replaceAll('=\r\n', '').replaceAll('=3D', '=')
}
