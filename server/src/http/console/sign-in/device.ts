// A browser in which somebody has signed in before. It is recognised by a signed cookie, so that strangers who guess a person's
// password cannot lock that person out of their own browser.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CookieSecrets } from '../auth/cookie-secrets.ts'
import { readCookie } from './cookie.ts'

const COOKIE = '__Host-sauti_device'
const COOKIE_RULES = `Max-Age=${365 * 24 * 3600}; Path=/; HttpOnly; Secure; SameSite=Lax`

/** For the browser of somebody who has left. */
export const DEVICE_COOKIE_GONE = `${COOKIE}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`

export interface Devices {
  /** The id of a browser in which this e-mail address has signed in before. */
  recognise(cookies: string | undefined, email: string): string | undefined
  /** Set-Cookie for a browser in which this e-mail address has just signed in. */
  remember(email: string): string
}

export function createDevices(secrets: CookieSecrets): Devices {
  const sign = (id: string, email: string, secret: string) =>
    createHmac('sha256', secret).update(`sauti known device v1 ${id} ${email}`).digest('base64url')
  return {
    recognise(cookies, email) {
      const [id = '', signature = ''] = (readCookie(cookies, COOKIE) ?? '').split('.', 2)
      const isOurs = secrets.some(
        secret => secret !== undefined && isSame(signature, sign(id, email, secret)),
      )
      return isOurs ? id : undefined
    },
    remember(email) {
      const id = randomBytes(16).toString('base64url')
      return `${COOKIE}=${id}.${sign(id, email, secrets[0])}; ${COOKIE_RULES}`
    },
  }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
