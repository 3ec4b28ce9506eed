// A page of the site: its security policy, its theme, and how it is sent. The policy allows our own files and nothing else:
// no inline script or style, no other origin.

import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readCookie } from '../sign-in/cookie.ts'
import { Asset, chooseEncoding } from './assets.ts'

/** `wss:` of the public address: not every browser counts it as 'self'. */
export function pagePolicy(publicUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "media-src 'self' blob:",
    `connect-src 'self' ${publicUrl.replace(/^https:/, 'wss:')}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

export interface Page {
  send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

/** The theme that the reader has chosen is written into the page, so that nothing flashes: three variants of each page. */
export function createPage(html: string, publicUrl: () => string): Page {
  const variants = new Map<string, { asset: Asset; tag: string }>()
  const variantOf = (theme: string) => {
    const known = variants.get(theme)
    if (known) return known
    const addressed = html.replaceAll('__PUBLIC_URL__', publicUrl())
    const body = Buffer.from(
      theme === '' ? addressed : addressed.replace('<html ', `<html data-theme="${theme}" `),
    )
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    const made = { asset: new Asset('page.html', body), tag }
    variants.set(theme, made)
    return made
  }
  return {
    async send(request, reply) {
      const { asset, tag } = variantOf(readTheme(request))
      const encoding = chooseEncoding(asset, request.headers['accept-encoding'])
      reply
        .header('content-security-policy', pagePolicy(publicUrl()))
        .header('permissions-policy', 'microphone=(self), camera=(), geolocation=()')
        .header('cache-control', 'no-cache')
        .header('vary', 'cookie, accept-encoding')
        .header('etag', tag)
      if (isKnown(tag, request.headers['if-none-match'])) return reply.code(304).send()
      if (encoding !== 'identity') reply.header('content-encoding', encoding)
      return reply.header('content-type', asset.mediaType).send(await asset.bodyAs(encoding))
    },
  }
}

function readTheme({ headers }: FastifyRequest): string {
  const theme = readCookie(headers.cookie, 'sauti_theme')
  return theme === 'light' || theme === 'dark' ? theme : ''
}

/** Proxies that compress by themselves mark tags as weak, and a cache may name several. */
export function isKnown(tag: string, ifNoneMatch: string | undefined): boolean {
  return (ifNoneMatch ?? '').split(',').some(one => one.trim().replace(/^W\//, '') === tag)
}
