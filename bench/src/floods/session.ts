// A session of the service under test.

import { request } from 'node:https'
import type { Ticket } from './attacker.ts'
import type { Announcement } from './service.ts'

const SESSION_SECONDS = 300

/** An answer that is no 201. */
export class Refusal extends Error {
  readonly code: string
  readonly retryAfterSeconds: number | undefined

  constructor(body: string, retryAfter: string | undefined) {
    super(body)
    this.code = JSON.parse(body).error.code
    this.retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter)
  }
}

/** Rejects with a Refusal. */
export function createSession({ port, ca, key }: Announcement, model: string): Promise<Ticket> {
  const body = JSON.stringify({ model, max_audio_seconds: SESSION_SECONDS })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const post = request(
      `https://127.0.0.1:${port}/v1/asr/sessions`,
      { method: 'POST', ca, headers },
      async response => {
        let text = ''
        for await (const chunk of response) text += chunk
        if (response.statusCode !== 201) return reject(new Refusal(text, response.headers['retry-after']))
        const { websocket_url, websocket_protocols } = JSON.parse(text)
        resolve({ url: websocket_url, protocols: websocket_protocols, ca })
      },
    )
    post.on('error', reject)
    post.end(body)
  })
}
