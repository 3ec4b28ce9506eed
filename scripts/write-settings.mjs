// Writes docs/settings.md from the table in server/src/config.ts. With --check it only says whether the file is up to date.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './run.mjs'

const FILE = join(ROOT, 'docs/settings.md')

const { SETTINGS } = await import('../server/dist/config.js')
const text = renderSettings(Object.values(SETTINGS))

if (!process.argv.includes('--check')) {
  mkdirSync(dirname(FILE), { recursive: true })
  writeFileSync(FILE, text)
} else if (readFileSync(FILE, 'utf8') !== text) {
  console.error('docs/settings.md is not up to date; run: node scripts/write-settings.mjs')
  process.exitCode = 1
}

function renderSettings(settings) {
  const rows = settings.map(({ variable, fallbackText, description }) => {
    const fallback = fallbackText === '' ? '' : `\`${fallbackText}\``
    return `| \`${variable}\` | ${fallback} | ${description.replaceAll('|', '\\|')} |`
  })
  return [
    '# Settings',
    '',
    'The service reads these variables once, when it starts, and refuses to start when one is wrong or unknown.',
    'An empty variable counts as not set. This page is written by `node scripts/write-settings.mjs`.',
    '',
    '| variable | default | what it is |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
