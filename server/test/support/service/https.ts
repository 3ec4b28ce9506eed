// One HTTPS request, with the status, the headers and the body as they came.

import type { IncomingHttpHeaders } from 'node:http'
import { type Agent, type RequestOptions, request } from 'node:https'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Ask extends Pick<RequestOptions, 'method' | 'headers' | 'ca' | 'signal'> {
  readonly agent: Agent | false
  readonly body?: string | Buffer
}

export function ask(url: string | URL, { body, ...options }: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, incoming => {
      const chunks: Buffer[] = []
      incoming.on('data', chunk => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode!,
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
