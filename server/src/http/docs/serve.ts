// /docs: the documentation, rendered once when it is first asked for, because the public address may be known only then.

import { describeStreamApi } from '@sauti/protocol/asyncapi'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../settings/config.ts'
import type { Asset } from '../console/site/assets.ts'
import { createPage, type Page } from '../console/site/page.ts'
import type { HttpParts } from '../parts.ts'
import { createInserts } from './inserts.ts'
import { type DocsAssets, layOut } from './layout.ts'
import { type DocsPage, readLibrary, SHELVES, urlOf } from './library.ts'
import { showPlots } from './plots.ts'
import { linkSources } from './source-links.ts'

const ENTRANCE = 'src/docs/main.ts'

type DocsParts = Pick<HttpParts, 'publicUrl'> & { settings: Pick<Config, 'sourceUrl'> }

export function serveDocs(
  app: FastifyInstance,
  { publicUrl, settings: { sourceUrl } }: DocsParts,
  assets: ReadonlyMap<string, Asset>,
): void {
  const links = findAssets(assets)
  const library = once(() => readLibrary(publicUrl(), createInserts(publicUrl())))
  const pages = once(() => new Map(library().map(page => [page.url, build(page, library())])))
  const build = (page: DocsPage, all: readonly DocsPage[]): Page =>
    createPage(linkSources(showPlots(layOut(page, all, { ...links, sourceUrl })), sourceUrl), publicUrl)

  // A route for each page, so that a wrong address matches none and gets the site's own page for that.
  for (const url of SHELVES.flatMap(({ paths }) => paths.map(urlOf)))
    for (const path of [url, `${url}/`])
      app.get(path, (request, reply) => pages().get(url)!.send(request, reply))
  app.get('/docs/search.json', async () => library().flatMap(listSections))
  app.get('/asyncapi.json', async () => describeStreamApi(publicUrl()))
}

function listSections({ url, title, sections }: DocsPage) {
  return sections.map(section => ({
    title: section.title,
    page: title,
    url: section.level === 1 ? url : `${url}#${section.id}`,
    text: section.text.trim(),
  }))
}

interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}

/** The documentation is readable without them, where the console was not built. */
function findAssets(assets: ReadonlyMap<string, Asset>): DocsAssets {
  const manifest = JSON.parse(assets.get('manifest.json')?.text ?? '{}') as Record<string, Chunk>
  const entrance = manifest[ENTRANCE]
  if (!entrance) return { styles: [], script: '' }
  const shared = (entrance.imports ?? []).flatMap(name => manifest[name]?.css ?? [])
  return {
    styles: [...new Set([...shared, ...(entrance.css ?? [])])].map(file => `/${file}`),
    script: `/${entrance.file}`,
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
