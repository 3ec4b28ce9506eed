import { describe, expect, it } from 'vitest'
import { highlight } from '#server/http/docs/highlight.js'
import { renderMarkdown } from '#server/http/docs/markdown.js'

const render = (text: string) => renderMarkdown(text, name => `<i>${name}</i>`).html

describe('the Markdown of the documentation', () => {
  it.each([
    ['a paragraph\nof two lines', '<p>a paragraph\nof two lines</p>'],
    [
      '## A `code` heading',
      '<h2 id="a-code-heading"><a class="anchor" href="#a-code-heading">A <code>code</code> heading</a></h2>',
    ],
    ['- one\n- two\n  and more', '<ul>\n<li>one</li>\n<li>two\nand more</li>\n</ul>'],
    ['1. one\n2. two', '<ol>\n<li>one</li>\n<li>two</li>\n</ol>'],
    ['> a note', '<blockquote>\n<p>a note</p>\n</blockquote>'],
    ['**bold** and *soft*', '<p><strong>bold</strong> and <em>soft</em></p>'],
    ['`**not bold**`', '<p><code>**not bold**</code></p>'],
    ['[words](guides/files.md#end)', '<p><a href="docs:guides/files.md#end">words</a></p>'],
    ['[words](/openapi.json)', '<p><a href="/openapi.json">words</a></p>'],
    [
      '![A "plot"](plots/streams.svg)',
      '<p><img src="/docs/plots/streams.svg" alt="A &quot;plot&quot;" loading="lazy"></p>',
    ],
    ['{{errors}}', '<i>errors</i>'],
    ['<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
    ['words <b onclick="x">bold</b>', '<p>words &lt;b onclick=&quot;x&quot;&gt;bold&lt;/b&gt;</p>'],
    ['see https://elsewhere.example', '<p>see https://elsewhere.example</p>'],
    ['- one\n  - inner', '<ul>\n<li>one<ul>\n<li>inner</li>\n</ul>\n</li>\n</ul>'],
  ])('%j', (text, html) => expect(render(text)).toBe(html))

  it('keeps empty lines inside code, and escapes it', () => {
    const frame = '<div class="code"><pre tabindex="0"><code>a &lt; b\n\nc</code></pre></div>'
    expect(render('```\na < b\n\nc\n```')).toBe(frame)
  })

  it('names the tab of a block of code', () => {
    expect(render('```sh tab:Shell\nls\n```')).toBe(
      '<pre tabindex="0" data-tab="Shell"><code><span class="hl-built_in">ls</span></code></pre>',
    )
  })

  it('reads tables with pipes inside cells', () => {
    expect(render('| A | B |\n|---|---|\n| `x\\|y` | z |')).toContain('<td><code>x|y</code></td><td>z</td>')
  })

  it('lets a path in a table break after a slash, and the search find it whole', () => {
    const { html, sections } = renderMarkdown('# T\n\n| a | b |\n|---|---|\n| x | `src/db/open.ts` |', String)
    expect(html).toContain('<code>src/<wbr>db/<wbr>open.ts</code>')
    expect(sections[0]!.text).toContain('src/db/open.ts')
  })

  it.each([
    ['pairs', '| A | B |\n|---|---|\n| `reserved` | words of a description |'],
    ['stacked', '| A | B |\n|---|---|\n| `SAUTI_METRICS_PORT` | words of a description |'],
    ['numbers', '| A | B | C |\n|---|---|---|\n| words of a description | 12 s | 13 s |'],
    ['stacked', '| A | B | C |\n|---|---|---|\n| x | 12 s | words of a description |'],
  ])('knows how a table is read on a phone: %s', (kind, source) => {
    expect(render(source)).toContain(`<table class="${kind}">`)
  })

  it('refuses links that are neither ours nor secure', () => {
    expect(() => render('[x](javascript:alert)')).toThrow('links to')
    expect(() => render('[x](http://plain.example)')).toThrow('links to')
  })

  it('tells sections apart for the search', () => {
    const { title, sections } = renderMarkdown('# Title\n\nIntro.\n\n## Part\n\nMore words.', () => '')
    expect(title).toBe('Title')
    expect(sections).toMatchObject([
      { id: 'title', level: 1, text: ' Intro.' },
      { id: 'part', level: 2, text: ' More words.' },
    ])
  })

  it('gives the search what a reader sees', () => {
    const { sections } = renderMarkdown('# Title\n\nIt\'s `a < b`, "&amp;" and *c*.', () => '')
    expect(sections[0]!.text).toBe(' It\'s a < b, "&" and c.')
  })
})

describe('highlighting', () => {
  it('marks comments, strings, words and numbers, and loses nothing', () => {
    const html = highlight("const a = 'x' // <note>\nreturn 42", 'ts')
    expect(html).toBe(
      '<span class="hl-keyword">const</span> a = <span class="hl-string">&#x27;x&#x27;</span> <span class="hl-comment">// &lt;note&gt;</span>\n<span class="hl-keyword">return</span> <span class="hl-number">42</span>',
    )
    expect(highlight('plain <text>', 'unknown')).toBe('plain &lt;text&gt;')
  })
})
