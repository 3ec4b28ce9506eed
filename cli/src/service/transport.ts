// How the command line reaches a service: Node's own fetch and `ws`, or both with a certificate authority of the user's.

import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import type { Connect, FetchInit, FetchLike } from '@sauti/client'
import { WebSocket } from 'ws'
import { Failure } from '../command.ts'

export interface Transport {
  readonly fetch: FetchLike | undefined
  readonly connect: Connect
}

export function createTransport(authorityFile: string | undefined): Transport {
  const ca = authorityFile === undefined ? undefined : readAuthority(authorityFile)
  const options = ca === undefined ? {} : { ca }
  return {
    // Node's fetch takes no authority, so where there is one its older client stands in.
    fetch: ca === undefined ? undefined : (url, init) => fetchTrusting(ca, url, init),
    connect: (url, protocols) => new WebSocket(url, protocols, { perMessageDeflate: false, ...options }),
  }
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Failure(`the certificate authority cannot be read: ${(cause as Error).message}`, { cause })
  }
}

function fetchTrusting(
  ca: string,
  url: string,
  { method, headers, body, signal }: FetchInit,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, ca, signal }, incoming => {
      const chunks: Buffer[] = []
      incoming.on('data', chunk => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const received = new Headers(
          Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
        )
        resolve(new Response(Buffer.concat(chunks), { status: incoming.statusCode ?? 0, headers: received }))
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
