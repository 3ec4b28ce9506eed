// From the Markdown of our own documentation to HTML. It knows what those pages use and nothing more: headings with anchors,
// paragraphs, lists, tables, quotes, code with highlighting, links, emphasis. Everything is escaped first.

import { highlight } from './highlight.ts'
import { escapeHtml, stripTags, table } from './html.ts'

export interface Section {
  readonly id: string
  readonly title: string
  readonly level: number
  /** Plain words below the heading, for the search. */
  text: string
}

export interface Rendered {
  readonly html: string
  readonly title: string
  readonly sections: readonly Section[]
}

/** `insert` gives the HTML of a line like `{{errors}}`. */
export function renderMarkdown(markdown: string, insert: (name: string) => string): Rendered {
  const sections: Section[] = []
  const html: string[] = []
  let title = ''
  for (const block of splitBlocks(markdown)) {
    const heading = /^(#{1,4}) (.+)$/.exec(block)
    const inserted = /^\{\{([\w-]+)\}\}$/.exec(block)
    if (heading) {
      const level = heading[1]!.length
      const words = heading[2]!
      const section = { id: slugOf(words), title: stripInline(words), level, text: '' }
      if (level === 1) title = section.title
      sections.push(section)
      html.push(renderHeading(section, renderInline(words)))
    } else {
      const rendered = inserted ? insert(inserted[1]!) : renderBlock(block)
      html.push(rendered)
      const current = sections.at(-1)
      if (current) current.text += ` ${stripTags(rendered)}`
    }
  }
  return { html: html.join('\n'), title, sections }
}

/** Blocks are apart by an empty line; inside a fence empty lines do not count. */
function splitBlocks(markdown: string): string[] {
  const blocks: string[] = []
  let lines: string[] = []
  let fenced = false
  const close = () => {
    if (lines.length > 0) blocks.push(lines.join('\n'))
    lines = []
  }
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced
    if (!fenced && line.trim() === '') close()
    else if (!fenced && line.startsWith('#')) {
      close()
      blocks.push(line)
    } else lines.push(line)
  }
  close()
  return blocks
}

function renderHeading({ id, level }: Section, words: string): string {
  if (level === 1) return `<h1>${words}</h1>`
  return `<h${level} id="${id}"><a class="anchor" href="#${id}">${words}</a></h${level}>`
}

function renderBlock(block: string): string {
  if (block.startsWith('```')) return renderCode(block)
  if (block.startsWith('|')) return renderTable(block)
  if (block.startsWith('> ')) return `<blockquote>${paragraph(block.replaceAll(/^> ?/gm, ''))}</blockquote>`
  if (/^- /.test(block)) return `<ul>${renderItems(block, /^- /m)}</ul>`
  if (/^1\. /.test(block)) return `<ol>${renderItems(block, /^\d+\. /m)}</ol>`
  return paragraph(block)
}

function paragraph(text: string): string {
  return `<p>${renderInline(text)}</p>`
}

function renderItems(block: string, mark: RegExp): string {
  const items = block.split(new RegExp(`\\n(?=${mark.source.slice(1)})`))
  return items.map(item => `<li>${renderInline(item.replace(mark, ''))}</li>`).join('\n')
}

function renderTable(block: string): string {
  const rows = block.split('\n').map(line => line.replaceAll(/^\||\|$/g, '').split(/(?<!\\)\|/))
  const cells = rows.map(row => row.map(cell => renderInline(cell.trim().replaceAll('\\|', '|'))))
  const [head = [], , ...body] = cells
  return table(head, body)
}

function renderCode(block: string): string {
  const [first = '', ...rest] = block.split('\n')
  const code = rest.join('\n').replace(/\n?```$/, '')
  return `<pre tabindex="0"><code>${highlight(code, first.slice(3).trim())}</code></pre>`
}

/** Code spans are set aside first, so that nothing inside them is read as anything else. */
function renderInline(text: string): string {
  const spans: string[] = []
  const apart = text.replaceAll(/`([^`]+)`/g, (_, code: string) => {
    spans.push(`<code>${escapeHtml(code)}</code>`)
    return `\u0000${spans.length - 1}\u0000`
  })
  const html = escapeHtml(apart)
    .replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, words: string, address: string) => linkTo(address, words))
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\*([^*]+)\*/g, '<em>$1</em>')
    .replaceAll('\n', ' ')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no document holds this character, so it can stand for a span.
  return html.replaceAll(/\u0000(\d+)\u0000/g, (_, index: string) => spans[Number(index)]!)
}

/** Pages refer to each other by file, so that the links work in the repository, too: `docs:` and the file are left for later. */
function linkTo(address: string, words: string): string {
  const isPage = /^[\w./-]+\.md(#[\w-]+)?$/.test(address)
  if (!isPage && !/^(https:\/\/|\/|#)/.test(address)) throw new Error(`the documentation links to ${address}`)
  const target = isPage ? `docs:${address}` : address
  return `<a href="${target}">${words}</a>`
}

export function slugOf(words: string): string {
  const plain = stripInline(words).toLowerCase()
  return plain.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')
}

function stripInline(words: string): string {
  return words.replaceAll(/[`*]/g, '').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
}
