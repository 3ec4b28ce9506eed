// The pages of docs/proof say which run each is about, and lead only to what is there.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../run.mjs'

const FOLDER = join(ROOT, 'docs/proof')
const names = readdirSync(FOLDER)
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')

describe('a page of docs/proof', () => {
  it.each(names.filter(name => name !== 'README.md'))(
    '%s names its command, date, commit and architecture',
    name => {
      const page = read(name)
      expect(page).toMatch(/`(npm run |SAUTI_TEST_)[^`]+`/)
      expect(page).toMatch(/\b20\d\d-\d\d-\d\d\b/)
      expect(page).toMatch(/\bcommit [0-9a-f]{7}\b/)
      expect(page).toMatch(/\b(x86-64|arm64)\b/)
    },
  )

  it.each(names)('%s leads only to files that are there', name => {
    const targets = [...read(name).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target!)
    expect(targets.filter(target => !existsSync(join(FOLDER, target)))).toEqual([])
  })

  it('is named by the page about all of them', () => {
    const index = read('README.md')
    expect(names.filter(name => name !== 'README.md' && !index.includes(`(${name})`))).toEqual([])
  })
})
