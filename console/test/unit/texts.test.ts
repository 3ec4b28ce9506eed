// The words of the pages: complete in every language, and none that no page shows.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ENDINGS } from '@sauti/server/sessions/lifecycle.js'
import { describe, expect, it } from 'vitest'
import { ACTIONS } from '../../src/pages/operator/audit.tsx'
import { ENDING_ADVICE } from '../../src/ui/session-endings.ts'

const CONSOLE = fileURLToPath(new URL('../..', import.meta.url))
const TEXTS = join(CONSOLE, 'src/texts')
/** Looked up by a code or a status. Those of `errors` are translations of the server's own words, so English has none. */
const BY_CODE = ['trouble', 'errors', 'ending', 'session_status']

const languages = readdirSync(TEXTS, { withFileTypes: true }).filter(entry => entry.isDirectory())
const groups = readdirSync(join(TEXTS, 'en'))

function read(language: string, group: string): Map<string, string> {
  const sections = JSON.parse(readFileSync(join(TEXTS, language, group), 'utf8')) as Record<string, object>
  const texts = Object.entries(sections).flatMap(([section, entries]) =>
    Object.entries(entries).map(([name, text]) => [`${section}.${name}`, text as string] as const),
  )
  return new Map(texts)
}

const placeholders = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort()

describe.each(languages.map(({ name }) => name))('%s', language => {
  it.each(groups)('%s has every text, with the same values in it', group => {
    const english = read('en', group)
    const translated = read(language, group)
    for (const [key, text] of english) {
      expect(translated.get(key), key).toBeTruthy()
      expect([...new Set(placeholders(translated.get(key)!))], key).toEqual([...new Set(placeholders(text))])
    }
    const extra = [...translated.keys()].filter(key => !english.has(key) && !key.startsWith('errors.'))
    expect(extra).toEqual([])
  })
})

it('every text is shown somewhere', () => {
  const files = readdirSync(join(CONSOLE, 'src'), { recursive: true, encoding: 'utf8' })
  const sources = files.filter(file => /\.tsx?$/.test(file)).map(file => join(CONSOLE, 'src', file))
  const code = [join(CONSOLE, 'index.html'), ...sources].map(file => readFileSync(file, 'utf8')).join('\n')
  const isShown = (key: string) =>
    BY_CODE.includes(key.split('.')[0]!) || key.startsWith('common.theme_') || code.includes(key)
  expect(groups.flatMap(group => [...read('en', group).keys()]).filter(key => !isShown(key))).toEqual([])
})

it('the audit log has words for every action that the service records', () => {
  const source = readFileSync(join(CONSOLE, '../server/src/accounts/audit.ts'), 'utf8')
  const recorded = [...source.matchAll(/^ {2}\| '([\w.]+)'$/gm)].map(([, action]) => action!)
  expect(recorded.length).toBeGreaterThan(30)
  expect(recorded.filter(action => ACTIONS[action] === undefined)).toEqual([])
})

it('no page loads the library of schemas, which is larger than all pages together', () => {
  const assets = join(CONSOLE, 'dist/assets')
  const scripts = readdirSync(assets).filter(file => file.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(20)
  expect(scripts.filter(file => readFileSync(join(assets, file), 'utf8').includes('~kind'))).toEqual([])
})

it('every way in which a session can end has words, and no other', () => {
  const endings = Object.keys(ENDINGS).sort()
  expect(Object.keys(ENDING_ADVICE).sort()).toEqual(endings)
  const words = [...read('en', 'sessions.json').keys()].filter(key => key.startsWith('ending.'))
  expect(words.sort()).toEqual([...endings, 'active', 'reserved'].map(code => `ending.${code}`).sort())
})
