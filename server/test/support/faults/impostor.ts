// A TLS server in the place of the real one, whose certificate is wrong in one way. Clients must not send anything to it.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import {
  type CertificateAndKey,
  issueAuthority,
  issueServerCertificate,
} from '#server/tls/local-authority.js'

export const CERTIFICATE_FAULTS = [
  'expired certificate',
  'certificate of another host',
  'certificate of an unknown authority',
] as const
export type CertificateFault = (typeof CERTIFICATE_FAULTS)[number]

const HOST = '127.0.0.1'
const LONG_AGO = new Date(Date.now() - 1_000 * 86_400_000)

export interface Impostor {
  readonly port: number
  /** What clients sent that accepted its certificate. */
  readonly heardBytes: number
  close(): Promise<void>
}

/** `authority`: the one that clients trust. */
export async function startImpostor(
  fault: CertificateFault,
  authority: CertificateAndKey,
): Promise<Impostor> {
  let heardBytes = 0
  const sockets = new Set<{ destroy(): void }>()
  const server = createServer(await issueWrong(fault, authority), socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', bytes => {
      heardBytes += bytes.length
    })
  })
  server.listen(0, HOST)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get heardBytes() {
      return heardBytes
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** In each only one thing is wrong, so that each of them is found for itself. */
export async function issueWrong(
  fault: CertificateFault,
  authority: CertificateAndKey,
): Promise<CertificateAndKey> {
  switch (fault) {
    case 'expired certificate':
      return issueServerCertificate(authority, [HOST], LONG_AGO)
    case 'certificate of another host':
      return issueServerCertificate(authority, ['localhost'], new Date())
    case 'certificate of an unknown authority':
      return issueServerCertificate(await issueAuthority([HOST], new Date()), [HOST], new Date())
  }
}
