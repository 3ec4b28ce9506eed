import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMailer } from '#server/http/console/mail.js'
import { type Console, choosePassword, startConsole } from '../../support/console.ts'

/** A mail server that takes everything, or refuses it, and keeps what it took. */
class MailServer {
  readonly mails: string[] = []
  refuses = false
  readonly #server: Server

  constructor() {
    this.#server = createServer(socket => this.#converse(socket))
  }

  async start(): Promise<string> {
    await new Promise<void>(done => this.#server.listen(0, '127.0.0.1', done))
    const address = this.#server.address()
    return `smtp://127.0.0.1:${typeof address === 'object' && address?.port}`
  }

  stop(): void {
    this.#server.close()
  }

  #converse(socket: Socket): void {
    let received = ''
    socket.write('220 mail.test\r\n')
    socket.on('error', () => socket.destroy())
    socket.on('data', chunk => {
      received += chunk
      // A mail ends with a line of one dot, everything else with its line.
      const isMail = /^[\w-]+: /.test(received)
      if (!received.endsWith(isMail ? '\r\n.\r\n' : '\r\n')) return
      if (isMail) this.mails.push(received)
      socket.write(`${this.#answer(isMail ? 'mail' : received.slice(0, 4))}\r\n`)
      received = ''
    })
  }

  #answer(command: string): string {
    if (command === 'DATA') return '354 go on'
    return command === 'RCPT' && this.refuses ? '550 nobody here' : '250 fine'
  }
}

const server = new MailServer()
let site: Console
beforeAll(async () => {
  site = await startConsole({ mailer: createMailer(await server.start(), 'Sauti <sauti@mail.test>') })
})
afterAll(async () => {
  await site.close()
  server.stop()
})

const form = { name: 'Atieno', organisation: '', use: 'u' }
const linkIn = (mail: string) => /https:\S+/.exec(mail.replaceAll('=\r\n', '').replaceAll('=3D', '='))![0]
const arrived = () => expect.poll(() => server.mails.shift(), { timeout: 10_000 })

async function approve(email: string) {
  const operator = await site.operator()
  await site.browser().call('POST', '/waitlist', { ...form, email })
  const { json } = await operator.call('GET', '/operator/waitlist')
  const { id } = json.data.find((one: { email: string }) => one.email === email)
  return operator.call('POST', `/operator/waitlist/${id}/approve`, { credit_seconds: 60 })
}

describe('with a mail server', () => {
  it('sends the link of an approval, and shows it to nobody', async () => {
    const { json, text } = await approve('atieno@mail.test')
    expect(json).toMatchObject({ emailed: true, link: null })
    const mail = server.mails.shift()!
    expect(mail).toContain('To: atieno@mail.test')
    expect(mail).toContain('From: Sauti <sauti@mail.test>')
    expect(text).not.toContain(new URL(linkIn(mail)).hash.slice(1))
    expect((await choosePassword(site.browser(), linkIn(mail))).status).toBe(200)
  })

  it('shows the link to the operator when the mail is refused', async () => {
    server.refuses = true
    const { json } = await approve('refused@mail.test')
    server.refuses = false
    expect(json.emailed).toBe(false)
    expect(json.link).toContain('/welcome#')
    expect(site.logLines.join('')).toContain('mail could not be sent')
    expect(site.logLines.join('')).not.toContain(new URL(json.link).hash.slice(1))
  })

  it('sends a link to whoever forgot the password, and nothing to strangers', async () => {
    const visitor = site.browser()
    const answers = [
      await visitor.call('POST', '/forgot-password', { email: 'stranger@mail.test' }),
      await visitor.call('POST', '/forgot-password', { email: 'Atieno@mail.test' }),
    ]
    expect(answers.map(({ text }) => text)).toEqual(['{"mail":true}', '{"mail":true}'])
    await arrived().toContain('To: atieno@mail.test')
    expect(server.mails).toEqual([])
  })

  it('writes to a member who joins again, instead of telling the page', async () => {
    const { json } = await site.browser().call('POST', '/waitlist', { ...form, email: 'atieno@mail.test' })
    expect(json).toEqual({ status: 'waiting' })
    await arrived().toContain('already have a Sauti account')
  })
})
