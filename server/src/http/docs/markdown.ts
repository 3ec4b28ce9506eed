// From the Markdown of our own documentation to HTML, with marked. Ours are the anchors of headings, the sections for the
// search, the inserts, the tabs of code and the check of links.

import { Marked, type Token, type Tokens } from 'marked'
import { codeBlock, highlight } from './highlight.ts'
import { escapeHtml, plainTextOf, table } from './html.ts'

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

const marked = new Marked({
  // HTML in a page is text like any other, and only what is written as a link becomes one.
  tokenizer: { html: () => undefined, tag: () => undefined, url: () => undefined },
  renderer: {
    code: renderCode,
    link({ href, tokens }) {
      return linkTo(href, this.parser.parseInline(tokens))
    },
    image({ href, text }) {
      return plotAt(href, text)
    },
    table({ header, rows }) {
      const cellsOf = (row: readonly Tokens.TableCell[]) =>
        row.map(cell => breakPaths(this.parser.parseInline(cell.tokens)))
      return table(cellsOf(header), rows.map(cellsOf))
    },
  },
})

/** A path in a narrow column breaks after a slash, not inside a word. */
function breakPaths(html: string): string {
  return html.replaceAll(/<code>[^<]*<\/code>/g, code => code.replaceAll(/(?<=\w)\/(?=\w)/g, '/<wbr>'))
}

/** `insert` gives the HTML of a line like `{{errors}}`. */
export function renderMarkdown(markdown: string, insert: (name: string) => string): Rendered {
  const sections: Section[] = []
  const html = marked
    .lexer(markdown)
    .filter(token => token.type !== 'space')
    .map(token => {
      if (isHeading(token)) {
        const section = startSection(token)
        sections.push(section)
        return renderHeading(section, token)
      }
      const rendered = renderBlock(token, insert)
      collectText(rendered, sections)
      return rendered
    })
  const title = sections.find(({ level }) => level === 1)?.title ?? ''
  return { html: html.join('\n'), title, sections }
}

/** What an insert puts below a heading of its own is a section, so that it is listed and found under that heading. */
function collectText(html: string, sections: Section[]): void {
  for (const part of html.split(/(?=<h3 id=")/)) {
    const [, id, title] = /^<h3 id="([^"]+)">(.*?)<\/h3>/.exec(part) ?? []
    if (id !== undefined) sections.push({ id, title: plainTextOf(title!), level: 3, text: '' })
    const current = sections.at(-1)
    if (current) current.text += ` ${plainTextOf(part)}`
  }
}

function renderBlock(token: Token, insert: (name: string) => string): string {
  const inserted = /^\{\{([\w-]+)\}\}$/.exec(token.raw.trim())
  return inserted ? insert(inserted[1]!) : marked.parser([token]).trim()
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading'
}

function startSection({ text, depth }: Tokens.Heading): Section {
  const title = stripInline(text)
  return { id: slugOf(title), title, level: depth, text: '' }
}

function renderHeading({ id, level }: Section, { tokens }: Tokens.Heading): string {
  const words = marked.Parser.parseInline(tokens, marked.defaults)
  if (level === 1) return `<h1>${words}</h1>`
  return `<h${level} id="${id}"><a class="anchor" href="#${id}">${words}</a></h${level}>`
}

function renderCode({ text, lang = '' }: Tokens.Code): string {
  const [language = '', ...options] = lang.split(' ')
  const title = options.find(option => option.startsWith('tab:'))?.slice(4)
  if (title === undefined) return `${codeBlock(text, language)}\n`
  return `<pre tabindex="0" data-tab="${escapeHtml(title)}"><code>${highlight(text, language)}</code></pre>\n`
}

/** Pages refer to each other by file, so that the links work in the repository, too: `docs:` and the file are left for later. */
function linkTo(address: string, words: string): string {
  const isPage = /^[\w./-]+\.md(#[\w-]+)?$/.test(address)
  if (!isPage && !/^(https:\/\/|\/|#)/.test(address)) throw new Error(`the documentation links to ${address}`)
  const target = isPage ? `docs:${address}` : address
  return `<a href="${escapeHtml(target)}">${words}</a>`
}

/** Pictures are plots: a page names the file beside it, so that the repository shows it, too. */
function plotAt(address: string, words: string): string {
  const file = /^(?:\.\.\/)?plots\/([\w-]+\.svg)$/.exec(address)?.[1]
  if (file === undefined) throw new Error(`the documentation shows ${address}`)
  return `<img src="/docs/plots/${file}" alt="${escapeHtml(words)}" loading="lazy">`
}

export function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

function stripInline(words: string): string {
  return words.replaceAll(/[`*]/g, '').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
}
