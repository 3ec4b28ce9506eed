// The documentation's table of Deepgram's options says what the code does.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { DEEPGRAM_OPTIONS } from '#server/foreign/deepgram/option-table.js'

it('the documentation names every option of Deepgram with what becomes of it', () => {
  const page = readFileSync(new URL('../../../docs/reference/compatible.md', import.meta.url), 'utf8')
  const [, section = ''] = /### Options(.*?)### Messages/s.exec(page) ?? []
  const rows = [...section.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name, support]) => [name, support])
  expect(rows).toEqual(Object.entries(DEEPGRAM_OPTIONS).map(([name, { support }]) => [name, support]))
})
