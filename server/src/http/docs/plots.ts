// Plots inside the pages: one drawn for wide screens, one for phones. They are part of the page, so that they follow the theme that
// the reader has chosen; a picture follows that of the system.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { INSTALLATION } from '../../installation.ts'

const PICTURE = /<img src="\/docs\/plots\/([\w-]+)\.svg" alt="([^"]*)"[^>]*>/g

export function showPlots(html: string): string {
  return html.replaceAll(PICTURE, (_, name: string, words: string) => {
    const drawings = [drawingOf(`${name}.svg`, 'plot-wide'), drawingOf(`${name}.narrow.svg`, 'plot-narrow')]
    return `<span class="plot" role="img" aria-label="${words}">${drawings.join('')}</span>`
  })
}

/** Without its own words and colours: the page has both. Its names would occur twice in the page. */
function drawingOf(file: string, className: string): string {
  const svg = readFileSync(join(INSTALLATION.docs, 'plots', file), 'utf8')
  return svg
    .trim()
    .replaceAll(/<(title|desc|style)\b[\s\S]*?<\/\1>\n?/g, '')
    .replace(
      / role="img" aria-labelledby="[^"]*" font-family="[^"]*"/,
      ` class="${className}" aria-hidden="true"`,
    )
}
