// The figures of the model cards, as the cards show them: the first table below “Figures” of each.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MODELS } from '@sauti/protocol/models'
import { INSTALLATION } from '../../installation.ts'
import { heading, table, words } from './html.ts'

export function renderFigures(): string {
  return MODELS.map(({ id, language }) => {
    const [head = [], , ...rows] = readFirstTable(join(INSTALLATION.models, id, 'README.md'))
    return `${heading(`figures-${language.toLowerCase()}`, language)}${table(['Measured with', ...head.slice(1)], rows)}`
  }).join('\n')
}

/** Cells of each row as HTML; the second row is Markdown's line. Empty where a model has no card. */
function readFirstTable(path: string): string[][] {
  const [, below = ''] = readCard(path).split(/^## Figures$/m)
  const lines = below.split('\n')
  const first = lines.findIndex(line => line.startsWith('|'))
  const after = lines.findIndex((line, at) => at > first && !line.startsWith('|'))
  if (first < 0) return []
  return lines.slice(first, after < 0 ? undefined : after).map(readCells)
}

function readCells(line: string): string[] {
  const cells = line
    .replace(/^\|/, '')
    .replace(/\|\s*$/, '')
    .split('|')
  return cells.map(cell => words(cell.trim()))
}

function readCard(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
