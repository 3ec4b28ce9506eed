// Email, where a mail server is set: short messages in plain text. A link in one of them is a secret, so what could not be sent
// is reported without it.

import type { CreditChange } from '../../ledger/credit-level.ts'
import { loadOnce } from '../load-once.ts'

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
  // Most installations send no mail, and a start need not wait for its 60 files.
  const transport = loadOnce(async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url: smtpUrl,
      connectionTimeout: PATIENCE_MS,
      greetingTimeout: PATIENCE_MS,
      socketTimeout: PATIENCE_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  })
  return {
    async send({ to, subject, text }) {
      await (await transport()).sendMail({ from, to, subject, text })
    },
  }
}

export function welcomeMail(to: string, name: string, url: string): Mail {
  return {
    to,
    subject: 'Set your Sauti password',
    text: `Hello ${name},\n\nYour Sauti account is ready. Set your password here. The link works once and expires in three days:\n\n${url}\n`,
  }
}

export function newPasswordMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Reset your Sauti password',
    text:
      `Someone, probably you, asked to reset the password for this address. The link works once and expires in one hour:\n\n${url}\n\n` +
      'If this was not you, ignore this email. Nothing has changed.\n',
  }
}

export function alreadyMemberMail(to: string, signInUrl: string): Mail {
  return {
    to,
    subject: 'You already have a Sauti account',
    text:
      `Someone, probably you, joined the Sauti waitlist with this address, but it already has an account. Sign in here:\n\n${signInUrl}\n\n` +
      'If this was not you, ignore this email. Nothing has changed.\n',
  }
}

export function invitedElsewhereMail(to: string, signInUrl: string): Mail {
  return {
    to,
    subject: 'You were invited to a Sauti account',
    text:
      'Someone invited you to their Sauti account, but this address already has an account of its own, and a person can belong to one only. ' +
      `You can be invited with another address. Sign in to your own account here:\n\n${signInUrl}\n\n` +
      'If you do not want to join, ignore this email. Nothing has changed.\n',
  }
}

export function newApplicationMail(to: string, name: string, use: string, operatorUrl: string): Mail {
  return {
    to,
    subject: 'New Sauti waitlist request',
    text: `${name} has asked to join:\n\n${use}\n\nApprove or decline the request here:\n\n${operatorUrl}\n`,
  }
}

export function creditRequestedMail(to: string, name: string, note: string, operatorUrl: string): Mail {
  return {
    to,
    subject: 'New Sauti credit request',
    text: `${name} has asked for more credit:\n\n${note}\n\nDecide on the request here:\n\n${operatorUrl}\n`,
  }
}

export function creditGrantedMail(to: string, seconds: number, consoleUrl: string): Mail {
  return {
    to,
    subject: 'Your Sauti credit was increased',
    text: `Your account received ${describeSeconds(seconds)} of audio credit. See your balance here:\n\n${consoleUrl}\n`,
  }
}

export function lowCreditMail(to: string, { level, availableMs }: CreditChange, consoleUrl: string): Mail {
  const left = describeSeconds(Math.floor(availableMs / 1000))
  return level === 'empty'
    ? {
        to,
        subject: 'Your Sauti credit is used up',
        text: `Your account has no audio credit left. New sessions are refused. Ask for more here:\n\n${consoleUrl}\n`,
      }
    : {
        to,
        subject: 'Your Sauti credit is running low',
        text: `Your account has ${left} of audio credit left. Ask for more here:\n\n${consoleUrl}\n`,
      }
}

function describeSeconds(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const [count, unit] = minutes === 0 ? [seconds, 'second'] : [minutes, 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
