// How a program on Node reaches a service whose certificate is of an authority of its own: neither `fetch` nor the WebSocket of Node accept
// one, so Node's older HTTP client and the package `ws` are used instead.

import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { Readable } from 'node:stream'
import { WebSocket } from 'ws'
import { SautiError } from '../errors.ts'
import type { Connect } from '../live/socket.ts'
import type { FetchInit, FetchLike } from '../server/request.ts'

export interface Transport {
  /** For `new SautiClient({ ... })`; undefined where Node's own will do. */
  readonly fetch: FetchLike | undefined
  /** For `openLiveSession` and `openContinuousStream`. */
  readonly connect: Connect
}

/** Trusts the authority of a PEM file (by default the one that SAUTI_CA names) besides those of the system. */
export function createTransport(authorityFile = process.env.SAUTI_CA): Transport {
  const ca = authorityFile ? readAuthority(authorityFile) : undefined
  const options = ca === undefined ? {} : { ca }
  return {
    // Behind a proxy that ends TLS, a service is reached without it, whatever authority is named.
    fetch:
      ca === undefined
        ? undefined
        : (url, init) => (url.startsWith('https:') ? fetchTrusting(ca, url, init) : fetch(url, init)),
    connect: (url, protocols) => new WebSocket(url, protocols, { perMessageDeflate: false, ...options }),
  }
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const reason = (cause as Error).message
    throw new SautiError(
      'authority_unreadable',
      `The certificate authority cannot be read: ${reason}.`,
      cause,
    )
  }
}

function fetchTrusting(ca: string, url: string, init: FetchInit): Promise<Response> {
  // A form has to be encoded; a request of its own does that as `fetch` would.
  const { method, headers, body } = new Request(url, { ...init, signal: null, duplex: 'half' } as RequestInit)
  return new Promise((resolve, reject) => {
    const options = { method, headers: Object.fromEntries(headers), ca, signal: init.signal }
    const outgoing = request(url, options, incoming => {
      const chunks: Buffer[] = []
      incoming.on('data', chunk => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const received = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ])
        resolve(new Response(Buffer.concat(chunks), { status: incoming.statusCode ?? 0, headers: received }))
      })
    })
    outgoing.on('error', reject)
    if (body)
      Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
        .on('error', reject)
        .pipe(outgoing)
    else outgoing.end()
  })
}
