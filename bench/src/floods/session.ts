// A session of the service under test.

import { request } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from '../measure/dial.ts'

/** Without an authority of its own, those of the machine are trusted. */
export interface ServiceAddress {
  readonly url: string
  readonly ca?: string
  readonly key: string
}

const SESSION_SECONDS = 300

/** An answer that is not 201. */
export class Refusal extends Error {
  readonly code: string
  readonly retryAfterSeconds: number | undefined

  constructor(body: string, retryAfter: string | undefined) {
    super(body)
    this.code = codeIn(body)
    this.retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter)
  }
}

/** Rejects with a Refusal. */
export function createSession(
  { url, ca, key }: ServiceAddress,
  model: string,
  seconds = SESSION_SECONDS,
): Promise<Address> {
  const body = JSON.stringify({ model, max_audio_seconds: seconds })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const post = request(
      `${url}/v1/asr/sessions`,
      { method: 'POST', headers, ...(ca && { ca }) },
      async response => {
        let text = ''
        for await (const chunk of response) text += chunk
        if (response.statusCode !== 201) return reject(new Refusal(text, response.headers['retry-after']))
        const { websocket_url, websocket_protocols } = JSON.parse(text)
        resolve({ url: websocket_url, protocols: websocket_protocols, ...(ca && { ca }) })
      },
    )
    post.on('error', reject)
    post.end(body)
  })
}

/** Asks again after Retry-After: other programs may keep the machine so busy that the service has no room for a moment. */
export async function askPatiently(ask: () => Promise<Address>): Promise<Address> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'capacity_exceeded') throw error
      await wait((error.retryAfterSeconds ?? 1) * 1000)
    }
  }
}

/** What a proxy answers in between has none of our codes. */
function codeIn(body: string): string {
  try {
    return JSON.parse(body).error.code
  } catch {
    return 'unreadable_answer'
  }
}
