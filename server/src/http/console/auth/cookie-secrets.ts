// The secrets that sign the console's cookies. While the server's secret is being replaced there are two: the new one signs, and a
// cookie that the old one signed is signed again when it arrives, so that nobody is signed out.

import { createHmac, timingSafeEqual } from 'node:crypto'

/** The one that signs first. */
export type CookieSecrets = readonly [current: string, previous?: string]

/** Keys of their own for cookies, so that the server's secrets can serve other purposes too. */
export function deriveCookieSecrets([current, previous]: readonly [string, string?]): CookieSecrets {
  return previous === undefined ? [derive(current)] : [derive(current), derive(previous)]
}

function derive(secret: string): string {
  return createHmac('sha256', secret).update('sauti console cookies v1').digest('base64url')
}

/** The Cookie header with this cookie signed by the current secret, if the previous one has signed it. */
export function renewSignature(header: string, name: string, [current, previous]: CookieSecrets): string {
  if (previous === undefined) return header
  return header
    .split(';')
    .map(pair => {
      const [key = '', value = ''] = pair.trim().split('=', 2)
      const token = key === name ? signedToken(value, previous) : undefined
      return token === undefined ? pair : `${name}=${encodeURIComponent(`${token}.${sign(token, current)}`)}`
    })
    .join(';')
}

/** What is before the signature, if that is right. Better Auth writes `token.signature`, percent-encoded. */
function signedToken(value: string, secret: string): string | undefined {
  const [token = '', signature = ''] = decode(value).split('.', 2)
  const [given, expected] = [Buffer.from(signature), Buffer.from(sign(token, secret))]
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : undefined
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    // Nothing that we have written.
    return ''
  }
}

function sign(token: string, secret: string): string {
  return createHmac('sha256', secret).update(token).digest('base64')
}
