// The documentation as pages to be sent.

import { createPage, type Page } from '../console/site/page.ts'
import { createInserts } from './inserts.ts'
import { type Frame, layOut } from './layout.ts'
import { type DocsPage, readLibrary } from './library.ts'
import { showPlots } from './plots.ts'
import { linkSources } from './source-links.ts'

interface RenderedDocs {
  readonly library: readonly DocsPage[]
  /** By their addresses. */
  readonly pages: ReadonlyMap<string, Page>
}

export function renderDocs(publicUrl: () => string, frame: Frame): RenderedDocs {
  const library = readLibrary(publicUrl(), createInserts(publicUrl()))
  const build = (page: DocsPage): Page =>
    createPage(linkSources(showPlots(layOut(page, library, frame)), frame.sourceUrl), publicUrl)
  return { library, pages: new Map(library.map(page => [page.url, build(page)])) }
}
