// The languages come from one list. Everything that names them is held to it here.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { LANGUAGES_IN_WORDS, MODELS } from '#protocol/models.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

it('are written in a sentence as a list', () => {
  expect(LANGUAGES_IN_WORDS).toBe('Kikuyu and Dholuo')
})

it('are named nowhere else in the code of the server, the command, the client and the examples', () => {
  const names = new RegExp(`\\b(${MODELS.map(({ language }) => language).join('|')})\\b`)
  const places = ['protocol/src', 'server/src', 'cli/src', 'sdk/src', 'examples/captions'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.(ts|m?js|html)$/.test(name))
      .map(name => `${folder}/${name}`)
      // States the interface by itself, so that a mistake in our list is noticed.
      .filter(path => !path.startsWith('cli/src/conformance/')),
  )
  const withoutComments = (file: string) =>
    readFileSync(join(ROOT, file), 'utf8').replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '')
  expect(places.filter(file => names.test(withoutComments(file)))).toEqual(['protocol/src/models.ts'])
})

it('are the ones that the training knows', () => {
  const table = readFileSync(join(ROOT, 'training/languages.py'), 'utf8')
  const rows = [...table.matchAll(/"(\w+)": \{"id": "([\w-]+)", "language": "(\w+)"\}/g)]
  const known = rows.map(([, languageCode, id, language]) => ({ id, language, languageCode }))
  expect(known).toEqual(MODELS)
})

it('each have a package, and recordings to try it on', () => {
  const list = readFileSync(join(ROOT, 'models/samples/transcripts.tsv'), 'utf8')
  for (const { id, language, languageCode } of MODELS) {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'models', id, 'manifest.json'), 'utf8'))
    expect(manifest).toMatchObject({ id, language_code: languageCode })
    expect(list).toMatch(new RegExp(`^${language.toLowerCase()}-1\\.wav\\t${languageCode}\\t`, 'm'))
  }
})
