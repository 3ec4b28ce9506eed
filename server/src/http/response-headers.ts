// Headers that every answer carries.

const ONE_YEAR_SECONDS = 365 * 24 * 3600
const LOOPBACK = /^(localhost|127\..*|\[::1\])$/

/** Nothing here is meant for a frame, a cache or another origin; no CORS header is ever sent. */
export function commonHeaders(publicUrl: string): Record<string, string> {
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  }
  // On localhost it would force https on every other server of the developer's machine.
  if (!LOOPBACK.test(new URL(publicUrl).hostname)) {
    headers['strict-transport-security'] = `max-age=${ONE_YEAR_SECONDS}`
  }
  return headers
}
