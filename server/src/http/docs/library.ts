// Which pages the documentation has, in which order, and where they stand. The text of each is docs/<path>.md.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Rendered, renderMarkdown } from './markdown.ts'

const FOLDER = new URL('../../../../docs/', import.meta.url)
const CLIENT = new URL('../../../../sdk/package.json', import.meta.url)
const CLIENT_VERSION: string = JSON.parse(readFileSync(CLIENT, 'utf8')).version

interface Shelf {
  readonly title: string
  readonly paths: readonly string[]
}

export const SHELVES: readonly Shelf[] = [
  { title: 'Start', paths: ['index', 'quickstart', 'concepts'] },
  {
    title: 'Guides',
    paths: [
      'guides/browser-relay',
      'guides/files',
      'guides/latency',
      'guides/phrases',
      'guides/errors',
      'guides/billing',
      'guides/privacy',
    ],
  },
  {
    title: 'Reference',
    paths: ['reference/http', 'reference/stream', 'reference/client', 'reference/command-line'],
  },
  { title: 'Operate', paths: ['self-hosting', 'operators', 'changelog'] },
]

export interface DocsPage extends Rendered {
  readonly url: string
  readonly shelf: string
  /** The first paragraph, for search engines. */
  readonly summary: string
}

export function urlOf(path: string): string {
  return path === 'index' ? '/docs' : `/docs/${path}`
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
      const source = readFileSync(fileURLToPath(new URL(`${path}.md`, FOLDER)), 'utf8')
      const rendered = renderMarkdown(fillIn(source, publicUrl), insert)
      const html = rendered.html.replaceAll(
        /href="docs:([^"]+)"/g,
        (_, file: string) => `href="${resolve(path, file)}"`,
      )
      const summary = rendered.sections[0]?.text.trim().split('. ')[0] ?? ''
      return { ...rendered, html, summary, url: urlOf(path), shelf: title }
    }),
  )
}

/** What stands inside lines: the address of this service, and the package of the client that it offers. */
function fillIn(source: string, publicUrl: string): string {
  const clientPackage = `${publicUrl}/downloads/sauti-client-${CLIENT_VERSION}.tgz`
  return source.replaceAll('{{base_url}}', publicUrl).replaceAll('{{client_package}}', clientPackage)
}

/** `../guides/errors.md#x` as the page `reference/http` means it. */
function resolve(path: string, file: string): string {
  const { pathname, hash } = new URL(file, `docs://library/${path}.md`)
  return urlOf(pathname.slice(1).replace(/\.md$/, '')) + hash
}
