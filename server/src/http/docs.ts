// /docs: the reference, rendered once from the OpenAPI description. One page, no script, nothing from elsewhere.

import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { renderReference } from './docs-page.ts'
import { STYLE } from './docs-style.ts'
import { describeApi } from './openapi.ts'
import type { HttpParts } from './parts.ts'

export function serveDocs(app: FastifyInstance, { publicUrl }: HttpParts): void {
  let page: string | undefined
  const styleHash = createHash('sha256').update(STYLE).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  app.get('/docs', (_request, reply) => {
    page ??= renderReference(describeApi(publicUrl()))
    reply
      .header('content-security-policy', policy)
      .header('content-type', 'text/html; charset=utf-8')
      .send(page)
  })
}
