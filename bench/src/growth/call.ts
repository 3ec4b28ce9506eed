// One call of the HTTP interface.

import { request } from 'node:https'
import type { ServiceAddress } from '../floods/session.ts'

export function call(
  { url, ca, key }: ServiceAddress,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly id: string }> {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, { method, headers, ...(ca && { ca }) }, async answer => {
      let text = ''
      for await (const chunk of answer) text += chunk
      if (answer.statusCode! < 300) resolve(JSON.parse(text))
      else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`))
    })
    outgoing.on('error', reject)
    outgoing.end(body && JSON.stringify(body))
  })
}
