// /docs: the documentation, rendered once when it is first asked for, because the public address may be known only then. What renders it is
// loaded only then, too: most nodes are never asked.

import { describeStreamApi } from '@sauti/protocol/asyncapi'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../settings/config.ts'
import type { Asset } from '../console/site/assets.ts'
import { loadOnce } from '../load-once.ts'
import type { HttpParts } from '../parts.ts'
import type { DocsAssets } from './layout.ts'
import type { DocsPage } from './library.ts'
import { SHELVES, urlOf } from './shelves.ts'

const ENTRANCE = 'src/docs/main.ts'

type DocsParts = Pick<HttpParts, 'publicUrl'> & { settings: Pick<Config, 'sourceUrl'> }

export function serveDocs(
  app: FastifyInstance,
  { publicUrl, settings: { sourceUrl } }: DocsParts,
  assets: ReadonlyMap<string, Asset>,
): void {
  const links = findAssets(assets)
  const rendered = loadOnce(async () => {
    const { renderDocs } = await import('./render.ts')
    return renderDocs(publicUrl, { ...links, sourceUrl })
  })

  // A route for each page, so that a wrong address matches none and gets the site's own page for that.
  for (const url of SHELVES.flatMap(({ paths }) => paths.map(urlOf)))
    for (const path of [url, `${url}/`])
      app.get(path, async (request, reply) => (await rendered()).pages.get(url)!.send(request, reply))
  app.get('/docs/search.json', async () => (await rendered()).library.flatMap(listSections))
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
