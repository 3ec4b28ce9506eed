// One HTTP request and its answer, as they went over the wire: no retries, no redirects, no check of what came.

import * as http from 'node:http'
import * as https from 'node:https'

export interface Ask {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  /** Undefined where the body is not JSON. */
  readonly json: unknown
}

export interface Connecting {
  readonly url: string
  /** PEM of the authority to trust, where it is not one of the system's. */
  readonly ca?: string
  /** How long something that need not come over a stream is waited for. */
  readonly patienceMs: number
}

/** A service must answer every request, so a busy one is given this much time. */
export const ANSWER_PATIENCE_MS = 20_000

export function exchange({ url, ca }: Connecting, ask: Ask): Promise<Answer> {
  const address = new URL(url + ask.path)
  const { request } = address.protocol === 'http:' ? http : https
  const { method = 'GET', headers = {}, body = '' } = ask
  const length: Record<string, string> =
    body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const options = { method, headers: { ...length, ...headers }, ...(ca === undefined ? {} : { ca }) }
    const outgoing = request(
      address,
      { ...options, signal: AbortSignal.timeout(ANSWER_PATIENCE_MS) },
      incoming => {
        const chunks: Buffer[] = []
        incoming.on('data', chunk => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => resolve(readAnswer(incoming, Buffer.concat(chunks).toString())))
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

export function readAnswer({ statusCode = 0, headers }: http.IncomingMessage, text: string): Answer {
  return { status: statusCode, headers, text, json: parseJson(text) }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
