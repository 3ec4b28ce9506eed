// The site's files: the front page, the app on each of its addresses, and the hashed assets, which never change and are
// kept by browsers for a year.

import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuseUnknownRoute } from '../answer-error.ts'
import { UNKNOWN_ROUTE } from '../metrics.ts'
import { type Asset, chooseEncoding } from './assets.ts'
import { createPage, type Page } from './page.ts'
import type { ConsoleParts } from './parts.ts'

/** The app finds its way by itself below these; anything else is not found. */
const APP_PATHS = [
  '/join',
  '/waiting',
  '/signin',
  '/forgot',
  '/welcome',
  '/app',
  '/app/*',
  '/operator',
  '/operator/*',
]
const FOREVER = 'public, max-age=31536000, immutable'
const A_DAY = 'public, max-age=86400'
const ASK_AGAIN = 'no-cache'

export function serveSite(
  app: FastifyInstance,
  parts: ConsoleParts,
  assets: ReadonlyMap<string, Asset>,
): void {
  const front = readPage(parts, assets.get('index.html'))
  const inside = readPage(parts, assets.get('app.html'))
  if (front === undefined || inside === undefined) {
    parts.log.warn('the console is not built (npm run build); its pages are not served')
    return
  }
  app.get('/', (request, reply) => front.send(request, reply))
  for (const path of APP_PATHS) app.get(path, (request, reply) => inside.send(request, reply))
  app.get('/*', { config: { observedAs: UNKNOWN_ROUTE } }, (request, reply) => {
    const refusal = refuseUnknownRoute(request, reply)
    if (refusal.code !== 'route_not_found' || !isRead(request)) throw refusal
    // The app says by itself that there is nothing here, in its own frame.
    return inside.send(request, reply.code(404))
  })
  app.get('/favicon.svg', (request, reply) => sendAsset(assets.get('favicon.svg'), A_DAY, request, reply))
  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) =>
    sendAsset(assets.get(`assets/${request.params['*']}`), FOREVER, request, reply),
  )
  app.get<{ Params: { file: string } }>('/downloads/:file', (request, reply) =>
    sendAsset(assets.get(`downloads/${request.params.file}`), ASK_AGAIN, request, reply),
  )
}

/** A browser asks for a page to read; a program that has mistaken an address wants the error with its code. */
function isRead({ headers, url }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true && !url.startsWith('/v1/')
}

function readPage({ publicUrl }: ConsoleParts, asset: Asset | undefined): Page | undefined {
  return asset && createPage(asset.text, publicUrl)
}

async function sendAsset(
  asset: Asset | undefined,
  cacheControl: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (asset === undefined) throw new ServiceError('route_not_found')
  const encoding = chooseEncoding(asset, request.headers['accept-encoding'])
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply
    .header('cache-control', cacheControl)
    .header('vary', 'accept-encoding')
    .header('content-type', asset.mediaType)
    .send(await asset.bodyAs(encoding))
}
