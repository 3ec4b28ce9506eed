// The pages of the documentation, rendered. The text of each is docs/<path>.md.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { INSTALLATION } from '../../installation.ts'
import { type Rendered, renderMarkdown } from './markdown.ts'
import { SHELVES, urlOf } from './shelves.ts'
import { groupTabs } from './tabs.ts'

const CLIENT_VERSION: string = JSON.parse(readFileSync(INSTALLATION.clientManifest, 'utf8')).version

export interface DocsPage extends Rendered {
  readonly url: string
  /** Where its text is in the repository. */
  readonly file: string
  readonly shelf: string
  /** The first paragraph, for search engines. */
  readonly summary: string
}

export function readLibrary(
  publicUrl: string,
  inserts: Readonly<Record<string, () => string>>,
): readonly DocsPage[] {
  const insert = (name: string) => {
    const make = inserts[name]
    if (!make) throw new Error(`the documentation asks for {{${name}}}, which nothing makes`)
    return make()
  }
  return SHELVES.flatMap(({ title, paths }) =>
    paths.map(path => {
      const source = readFileSync(join(INSTALLATION.docs, `${path}.md`), 'utf8')
      const rendered = renderMarkdown(fillIn(source, publicUrl), insert)
      const html = groupTabs(rendered.html).replaceAll(
        /href="docs:([^"]+)"/g,
        (_, file: string) => `href="${resolve(path, file)}"`,
      )
      const summary = rendered.sections[0]?.text.trim().split('. ')[0] ?? ''
      return { ...rendered, html, summary, url: urlOf(path), file: `docs/${path}.md`, shelf: title }
    }),
  )
}

/** What is inside lines: the address of this service, and the client packages that it offers. */
function fillIn(source: string, publicUrl: string): string {
  const clientPackage = `${publicUrl}/downloads/sauti-client-${CLIENT_VERSION}.tgz`
  const pythonPackage = `${publicUrl}/downloads/sauti-${CLIENT_VERSION}-py3-none-any.whl`
  return source
    .replaceAll('{{base_url}}', publicUrl)
    .replaceAll('{{stream_base_url}}', publicUrl.replace(/^http/, 'ws'))
    .replaceAll('{{client_package}}', clientPackage)
    .replaceAll('{{python_package}}', pythonPackage)
}

/** `../guides/errors.md#x` as the page `reference/http` means it. */
function resolve(path: string, file: string): string {
  const { pathname, hash } = new URL(file, `docs://library/${path}.md`)
  return urlOf(pathname.slice(1).replace(/\.md$/, '')) + hash
}
