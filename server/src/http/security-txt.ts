// /.well-known/security.txt (RFC 9116): whom to tell about a vulnerability. Served only where the operator has set a contact.

import type { FastifyInstance } from 'fastify'
import type { HttpParts } from './parts.ts'

const PATH = '/.well-known/security.txt'
const VALID_DAYS = 180
const DAY_MS = 24 * 3600 * 1000

export function serveSecurityTxt(app: FastifyInstance, { settings, publicUrl, clock }: HttpParts): void {
  const { securityContact } = settings
  if (securityContact === undefined) return
  app.get(PATH, (_request, reply) => {
    const expires = new Date(clock().getTime() + VALID_DAYS * DAY_MS)
    const lines = [
      `Contact: ${securityContact}`,
      `Expires: ${expires.toISOString()}`,
      'Preferred-Languages: en, sw',
      `Canonical: ${publicUrl()}${PATH}`,
      `Policy: ${publicUrl()}/docs/security`,
    ]
    return reply.header('content-type', 'text/plain; charset=utf-8').send(`${lines.join('\n')}\n`)
  })
}
