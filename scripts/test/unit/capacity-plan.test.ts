import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../run.mjs'

it('has in the documentation the capacity plan that follows from the measured costs', () => {
  const page = readFileSync(join(ROOT, 'docs/capacity.md'), 'utf8')
  const tables = execFileSync(process.execPath, [join(ROOT, 'bench/dist/main.js'), 'plan'], {
    encoding: 'utf8',
  })
  for (const table of tables.trim().split('\n\n')) expect(page).toContain(table)
})

it('starts from costs that are in the bench README', () => {
  const measured = readFileSync(join(ROOT, 'bench/README.md'), 'utf8')
  for (const figure of [
    '14.8 CPU-ms per chunk of 1.12 s',
    '63 streams admitted',
    'fills with 70 ',
    '100.3, ',
    '| POST /v1/asr/sessions | 659 ',
    'takes 4.3 transactions',
    '0.4 to 0.8 MB',
  ]) {
    expect(measured).toContain(figure)
  }
})
