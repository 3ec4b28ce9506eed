// A page of the documentation as a whole document: search, list of pages, article, its sections, what comes next.

import { escapeHtml } from './html.ts'
import type { DocsPage } from './library.ts'
import { SHELVES } from './shelves.ts'
import { linkPageSource } from './source-links.ts'

export interface DocsAssets {
  readonly styles: readonly string[]
  readonly script: string
}

export interface Frame extends DocsAssets {
  readonly sourceUrl: string | undefined
}

export function layOut(page: DocsPage, pages: readonly DocsPage[], frame: Frame): string {
  const at = pages.indexOf(page)
  // Twice in the page and shown once: beside the article, or on a phone folded above it. Nothing moves when scripts arrive.
  const menu = SHELVES.map(shelf => renderShelf(shelf.title, pages, page)).join('\n')
  const contents = renderContents(page)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${escapeHtml(page.title)} · Sauti</title>
<meta name="description" content="${escapeHtml(page.summary)}">
<meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#131110" media="(prefers-color-scheme: dark)">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="canonical" href="__PUBLIC_URL__${page.url}">
<meta property="og:type" content="article">
<meta property="og:site_name" content="Sauti">
<meta property="og:title" content="${escapeHtml(page.title)}">
<meta property="og:description" content="${escapeHtml(page.summary)}">
<meta property="og:url" content="__PUBLIC_URL__${page.url}">
${frame.styles.map(url => `<link rel="stylesheet" href="${url}">`).join('\n')}
<script type="module" src="${frame.script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="topbar"><div class="inner wide">
<a class="logo" href="/">${MARK} Sauti</a>
<div class="docs-search" role="search">
<input class="input" id="docs-search" type="search" placeholder="Search" aria-label="Search the documentation" aria-keyshortcuts="/ Control+K" autocomplete="off">
<kbd aria-hidden="true">/</kbd>
<div id="docs-results" hidden></div>
</div>
<nav aria-label="Site"><a class="wide-only" href="/app">Console</a>${THEME_SWITCH}</nav>
</div></header>
<div class="docs">
<nav class="docs-side" aria-label="Documentation">${menu}</nav>
<div class="docs-menus">
<details class="docs-menu" name="docs-menu"><summary>All pages</summary><nav aria-label="All pages">${menu}</nav></details>
${contents && `<details class="docs-menu" name="docs-menu"><summary>On this page</summary><nav aria-label="Sections">${contents}</nav></details>`}
</div>
<main id="main" tabindex="-1"><article>
${page.html}
${renderNext(pages[at - 1], pages[at + 1])}
${linkPageSource(page.file, frame.sourceUrl)}
</article></main>
<nav class="docs-toc" aria-label="On this page">${contents && `<h2>On this page</h2>${contents}`}</nav>
</div>
</body>
</html>
`
}

function renderShelf(title: string, pages: readonly DocsPage[], current: DocsPage): string {
  const links = pages
    .filter(page => page.shelf === title)
    .map(page => {
      const here = page === current ? ' aria-current="page"' : ''
      return `<li><a href="${page.url}"${here}>${escapeHtml(page.title)}</a></li>`
    })
  return `<h2>${title}</h2><ul>${links.join('')}</ul>`
}

function renderContents({ sections }: DocsPage): string {
  const links = sections
    .filter(({ level }) => level === 2 || level === 3)
    .map(({ id, title, level }) => {
      const below = level === 3 ? ' class="below"' : ''
      return `<li${below}><a href="#${id}">${escapeHtml(title)}</a></li>`
    })
  return links.length === 0 ? '' : `<ul>${links.join('')}</ul>`
}

function renderNext(before: DocsPage | undefined, after: DocsPage | undefined): string {
  const back = before ? `<a href="${before.url}">← ${escapeHtml(before.title)}</a>` : '<span></span>'
  const on = after ? `<a href="${after.url}">${escapeHtml(after.title)} →</a>` : ''
  return `<div class="docs-next">${back}${on}</div>`
}

const MARK =
  '<svg width="28" height="28" viewBox="0 0 28 28" fill="currentColor" aria-hidden="true"><rect x="2" y="11" width="3.4" height="6" rx="1.7"/><rect x="7.2" y="6" width="3.4" height="16" rx="1.7"/><rect x="12.4" y="2" width="3.4" height="24" rx="1.7"/><rect x="17.6" y="8" width="3.4" height="12" rx="1.7"/><rect x="22.8" y="11.5" width="3.4" height="5" rx="1.7"/></svg>'

const THEME_SWITCH =
  '<button type="button" class="theme" aria-label="Theme"><svg class="icon-system" width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linejoin="round" aria-hidden="true"><path d="M4 5h16v11H4ZM9 20h6M12 16v4"/></svg><svg class="icon-moon" width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round" aria-hidden="true"><path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z"/></svg><svg class="icon-sun" width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" aria-hidden="true"><path d="M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM12 2v2M12 20v2M4 12H2M22 12h-2M5 5l1.4 1.4M17.6 17.6 19 19M19 5l-1.4 1.4M6.4 17.6 5 19"/></svg></button>'
