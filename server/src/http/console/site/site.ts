// The site's files: the front page, the app on each of its addresses, and the hashed assets, which never change and are
// kept by browsers for a year.

import { LANGUAGES_IN_WORDS } from '@sauti/protocol/models'
import type { FastifyInstance } from 'fastify'
import { INSTALLATION } from '../../../installation.ts'
import type { Config } from '../../../settings/config.ts'
import type { NotFoundPage } from '../../app.ts'
import { escapeHtml } from '../../docs/html.ts'
import type { HttpParts } from '../../parts.ts'
import { A_DAY, type Asset, readAssets, sendAsset } from './assets.ts'
import { createPage, type Page } from './page.ts'

/** The app does its own routing below these; anything else is not found. */
const APP_PATHS = ['/waiting', '/signin', '/forgot', '/welcome', '/app', '/app/*', '/operator', '/operator/*']
/** The app is not for search engines; the page where people join is. */
const HIDDEN_FROM_SEARCH = '<meta name="robots" content="noindex" />'
const JOIN_HEAD = `<meta name="description" content="Join the waitlist for live speech recognition in ${LANGUAGES_IN_WORDS}." />
    <link rel="canonical" href="__PUBLIC_URL__/join" />
    <meta property="og:title" content="Join the waitlist · Sauti" />
    <meta property="og:url" content="__PUBLIC_URL__/join" />`
const FOREVER = 'public, max-age=31536000, immutable'
const ASK_AGAIN = 'no-cache'

const SOURCE_LINK = /\s*<a href="__SOURCE_URL__">[^<]*<\/a>/

type SiteParts = Pick<HttpParts, 'publicUrl' | 'log'> & { settings: Pick<Config, 'sourceUrl'> }

export interface Site {
  readonly assets: ReadonlyMap<string, Asset>
  /** Undefined where the console was not built. */
  readonly pages: Readonly<Record<'front' | 'swahili' | 'join' | 'inside', Page>> | undefined
}

export function openSite({ publicUrl, log, settings: { sourceUrl } }: SiteParts): Site {
  const assets = readAssets(INSTALLATION.console)
  const front = assets.get('index.html')
  const swahili = assets.get('sw.html')
  const inside = assets.get('app.html')
  if (front === undefined || swahili === undefined || inside === undefined) {
    log.warn('the console is not built (npm run build); its pages are not served')
    return { assets, pages: undefined }
  }
  const pages = {
    front: createPage(linkSource(front.text, sourceUrl), publicUrl),
    swahili: createPage(linkSource(swahili.text, sourceUrl), publicUrl),
    join: createPage(inside.text.replace(HIDDEN_FROM_SEARCH, JOIN_HEAD), publicUrl),
    inside: createPage(inside.text, publicUrl),
  }
  return { assets, pages }
}

/** Where the address of the source is not known, there is no link to it. */
function linkSource(html: string, sourceUrl: string | undefined): string {
  return sourceUrl === undefined
    ? html.replace(SOURCE_LINK, '')
    : html.replace('__SOURCE_URL__', () => escapeHtml(sourceUrl))
}

/** For a browser that asks for a page to read, the app says that there is nothing here; a program gets the error. */
export function notFoundPageOf({ pages }: Site): NotFoundPage {
  return (request, reply) => {
    const isReader = request.headers.accept?.includes('text/html') === true && !request.url.startsWith('/v1/')
    return isReader && request.method === 'GET' ? pages?.inside.send(request, reply) : undefined
  }
}

export function serveSite(app: FastifyInstance, { assets, pages }: Site): void {
  if (pages === undefined) return
  app.get('/', (request, reply) => pages.front.send(request, reply))
  app.get('/sw', (request, reply) => pages.swahili.send(request, reply))
  app.get('/join', (request, reply) => pages.join.send(request, reply))
  for (const path of APP_PATHS) app.get(path, (request, reply) => pages.inside.send(request, reply))
  app.get('/favicon.svg', (request, reply) => sendAsset(assets.get('favicon.svg'), A_DAY, request, reply))
  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) =>
    sendAsset(assets.get(`assets/${request.params['*']}`), FOREVER, request, reply),
  )
  app.get<{ Params: { file: string } }>('/downloads/:file', (request, reply) =>
    sendAsset(assets.get(`downloads/${request.params.file}`), ASK_AGAIN, request, reply),
  )
}
