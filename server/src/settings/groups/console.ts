// The web console, the front page, and email.

import { integer, text, url } from '../parse.ts'
import { type SettingsTable, setting } from '../setting.ts'

export const CONSOLE = {
  securityContact: setting(
    'SAUTI_SECURITY_CONTACT',
    parseContact,
    undefined,
    'Contact for security reports, as `mailto:security@example.org` or an `https` address. Published in `/.well-known/security.txt`.',
  ),
  sourceUrl: setting(
    'SAUTI_SOURCE_URL',
    value => url('https:')(value).href,
    undefined,
    'Address of the source code that this service runs, for example `https://github.com/you/sauti/blob/main`. With it, the ' +
      'front page links to the repository, and the documentation to its files and folders.',
  ),
  signInFailures: setting(
    'SAUTI_SIGN_IN_FAILURES',
    integer(1, 100_000),
    10,
    'Wrong passwords allowed in 15 minutes for one email address from one IP address. The limit is five times higher for one ' +
      'IP address and all emails, and ten times higher for one email from all IP addresses.',
  ),
  supportGrantSeconds: setting(
    'SAUTI_SUPPORT_GRANT_SECONDS',
    integer(0, 10_000_000),
    36_000,
    'Seconds of credit that an operator with the role `support` may grant in 24 hours.',
  ),
  joinsPerHour: setting(
    'SAUTI_JOINS_PER_HOUR',
    integer(1, 100_000),
    10,
    'Waitlist requests per IP address and hour.',
  ),
  demoStreams: setting(
    'SAUTI_DEMO_STREAMS',
    integer(0, 1000),
    2,
    'Sample clips that visitors of the home page can have transcribed at the same time. `0` turns the demo off.',
  ),
  creditWatchSeconds: setting(
    'SAUTI_CREDIT_WATCH_SECONDS',
    integer(1, 3600),
    60,
    'How often to check for accounts with low credit and notify their members by email.',
  ),
  smtpUrl: setting(
    'SAUTI_SMTP_URL',
    parseSmtpUrl,
    undefined,
    'Mail server, for example `smtps://user:password@host:465` or `smtp://host:587`. Without it, no email is sent and operators share links themselves.',
    { isSecret: true },
  ),
  mailFrom: setting(
    'SAUTI_MAIL_FROM',
    text,
    undefined,
    'Sender address of emails. Required with `SAUTI_SMTP_URL`.',
  ),
} as const satisfies SettingsTable

function parseSmtpUrl(value: string): string {
  url('smtp:', 'smtps:')(value)
  return value
}

function parseContact(value: string): string {
  if (/^mailto:[^\s@]+@[^\s@]+$/.test(value)) return value
  return url('https:')(value).href
}
