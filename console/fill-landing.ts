// The front page in each language: index.html is the template, src/texts the words, the model cards the figures. Words are in
// the file that is served, so that the page can be read and found without scripts.

import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const PAGES: Readonly<Record<string, { language: string; path: string }>> = {
  'index.html': { language: 'en', path: '/' },
  'sw.html': { language: 'sw', path: '/sw' },
}
const OTHER = {
  en: { other_language: 'sw', other_path: '/sw', other_name: 'Kiswahili' },
  sw: { other_language: 'en', other_path: '/', other_name: 'English' },
} as const

type Sections = Record<string, Record<string, string>>

export function fillLanding(): Plugin {
  return {
    name: 'fill-landing',
    transformIndexHtml: {
      order: 'pre',
      handler(html, { filename }) {
        const page = PAGES[filename.split('/').at(-1) ?? '']
        if (page === undefined) return html
        return fill(read('index.html'), valuesFor(page.language as 'en' | 'sw', page.path))
      },
    },
  }
}

function valuesFor(language: 'en' | 'sw', path: string): Record<string, string> {
  const sections: Sections = {}
  for (const group of ['common', 'landing'])
    Object.assign(sections, JSON.parse(read(`src/texts/${language}/${group}.json`)))
  const texts = Object.entries(sections).flatMap(([section, entries]) =>
    Object.entries(entries).map(([name, text]) => [`${section}.${name}`, escapeHtml(text)]),
  )
  return {
    ...Object.fromEntries(texts),
    script_texts: scriptTexts(sections),
    ...OTHER[language],
    language,
    path,
    kikuyu_errors: wordErrors('svc-asr-kikuyu-v1'),
    dholuo_errors: wordErrors('svc-asr-dholuo-v1'),
  }
}

/** The script gets its texts with the page, so that it need not ask for them. */
function scriptTexts({ common = {}, landing = {}, demo = {} }: Sections): string {
  const { demo_title = '', demo_note = '' } = landing
  const texts = JSON.stringify({ common, landing: { demo_title, demo_note }, demo }).replaceAll(
    '<',
    '\\u003c',
  )
  return `<script type="application/json" id="texts">${texts}</script>`
}

function fill(template: string, values: Record<string, string>): string {
  return template.replaceAll(/\{\{([\w.]+)\}\}/g, (_, key: string) => {
    const value = values[key]
    if (value === undefined) throw new Error(`the front page asks for {{${key}}}, which no catalogue has`)
    return value
  })
}

/** From the model's card: what it reached as it is served, as percent. */
function wordErrors(model: string): string {
  const card = read(`../models/${model}/README.md`)
  const found = /\| look-ahead 13[^|\n]*\|\s*([\d.]+)/.exec(card)
  if (found?.[1] === undefined) throw new Error(`the card of ${model} has no figure for look-ahead 13`)
  return found[1]
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
