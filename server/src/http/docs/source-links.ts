// From the documentation to the source: names of files and folders become links where the operator says where the source is.

import { escapeHtml } from './html.ts'

const FOLDERS =
  'bench|cli|clients|console|deploy|docs|examples|integrations|models|protocol|scripts|sdk|server|training'
const FILE_OR_FOLDER = new RegExp(`<code>((?:${FOLDERS})(?:/[\\w./-]*)?|[A-Z]+\\.md)</code>`, 'g')

export function linkSources(html: string, sourceUrl: string | undefined): string {
  if (sourceUrl === undefined) return html
  return html.replaceAll(
    FILE_OR_FOLDER,
    (code, path: string) => `<a href="${at(sourceUrl, path)}">${code}</a>`,
  )
}

/** Below each page: where its text is, so that readers can correct mistakes. */
export function linkPageSource(file: string, sourceUrl: string | undefined): string {
  return sourceUrl === undefined
    ? ''
    : `<p class="small"><a href="${at(sourceUrl, file)}">Source of this page</a></p>`
}

function at(sourceUrl: string, path: string): string {
  return escapeHtml(`${sourceUrl.replace(/\/$/, '')}/${path}`)
}
