// The query of an upgrade request.

import type { IncomingMessage } from 'node:http'

export function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1))
}
