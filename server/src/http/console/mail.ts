// E-mail, where a mail server is set. Three short messages in plain text; a link in one of them is a secret, so what could
// not be sent is reported without it.

import { createTransport } from 'nodemailer'

export interface Mailer {
  /** Rejects when the mail server refuses or does not answer. */
  send(mail: Mail): Promise<void>
}

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

const PATIENCE_MS = 15_000

/** `smtpUrl` as in smtps://user:password@mail.example:465; smtp:// uses STARTTLS where the server offers it. */
export function createMailer(smtpUrl: string, from: string): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ to, subject, text }) {
      await transport.sendMail({ from, to, subject, text })
    },
  }
}

export function welcomeMail(to: string, name: string, url: string): Mail {
  return {
    to,
    subject: 'Your Sauti account is ready',
    text: `Hello ${name},\n\nyour request was approved. Choose a password here; the link works once, for three days:\n\n${url}\n`,
  }
}

export function newPasswordMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Choose a new Sauti password',
    text:
      `Somebody, probably you, asked for a new password for this address. The link works once, for three days:\n\n${url}\n\n` +
      'If it was not you, ignore this message: nothing has changed.\n',
  }
}

export function alreadyMemberMail(to: string, signInUrl: string): Mail {
  return {
    to,
    subject: 'You already have a Sauti account',
    text:
      `Somebody, probably you, joined the waitlist with this address, which has an account already. Sign in here:\n\n${signInUrl}\n\n` +
      'If it was not you, ignore this message: nothing has changed.\n',
  }
}
