// What the pages say, in the reader's language. A language is one folder beside this file with a file for every group of pages,
// so that a page loads only its own words. A further language is one more folder, and one more line in LANGUAGES and in FILES.

import rosetta from 'rosetta'
import type common from './en/common.json'
import type entrance from './en/entrance.json'
import type landing from './en/landing.json'
import type playground from './en/playground.json'
import type sessions from './en/sessions.json'

interface Groups {
  /** Needed on every page. */
  readonly common: typeof common
  readonly landing: typeof landing
  readonly entrance: typeof entrance
  readonly playground: typeof playground
  /** The details of a session, which developers and operators see. */
  readonly sessions: typeof sessions
}
/** The front page is filled when it is built. */
type Group = Exclude<keyof Groups, 'landing'>
type Sections = typeof common & typeof landing & typeof entrance & typeof playground & typeof sessions
/** `join.title`: a section of the catalogue and a name in it. */
export type TextKey = { [S in keyof Sections]: `${S}.${keyof Sections[S] & string}` }[keyof Sections]
type Values = Readonly<Record<string, string | number>>

export const LANGUAGES = { en: 'English', sw: 'Kiswahili' } as const
export type Language = keyof typeof LANGUAGES

/** The front page of each language is a document of its own. */
const HOMES: Record<Language, string> = { en: '/', sw: '/sw' }

type Files = { [G in Group]: () => Promise<{ default: Groups[G] }> }
const FILES: Record<Language, Files> = {
  en: {
    common: () => import('./en/common.json'),
    entrance: () => import('./en/entrance.json'),
    playground: () => import('./en/playground.json'),
    sessions: () => import('./en/sessions.json'),
  },
  sw: {
    common: () => import('./sw/common.json'),
    entrance: () => import('./sw/entrance.json'),
    playground: () => import('./sw/playground.json'),
    sessions: () => import('./sw/sessions.json'),
  },
}
const COOKIE = 'sauti_language'
const catalogue = rosetta<Groups[keyof Groups]>()

/** Call once before anything is shown. */
export async function loadLanguage(language: Language): Promise<void> {
  catalogue.locale(language)
  document.documentElement.lang = language
  await loadTexts('common')
}

/** The front page brings the words of its script along. */
export function takeTextsOfPage(): void {
  const language = currentLanguage()
  catalogue.locale(language)
  catalogue.set(language, JSON.parse(document.getElementById('texts')?.textContent ?? '{}'))
}

/** The words of a group of pages, in the language that was chosen; before the first of them is shown. */
export async function loadTexts(group: Group): Promise<void> {
  const language = currentLanguage()
  catalogue.set(language, (await FILES[language][group]()).default)
}

export function t(key: TextKey, values?: Values): string {
  return catalogue.t(key, values)
}

/** The text of a key that may not exist, for instance one made of an error's code. */
export function findText(key: string): string | undefined {
  return catalogue.t(key) || undefined
}

export function currentLanguage(): Language {
  const { lang } = document.documentElement
  return isLanguage(lang) ? lang : 'en'
}

export function homePath(): string {
  return HOMES[currentLanguage()]
}

export function isHomePath(path: string): boolean {
  return Object.values(HOMES).includes(path)
}

function isLanguage(tag: string | null | undefined): tag is Language {
  return Object.keys(LANGUAGES).includes(tag ?? '')
}

/** The address says it first, then what was chosen before, then the browser. */
export function chooseLanguage(): Language {
  const asked = new URLSearchParams(location.search).get('language')
  const kept = new RegExp(`(?:^|; )${COOKIE}=(\\w+)`).exec(document.cookie)?.[1]
  const wanted = [asked, kept, ...navigator.languages.map(tag => tag.slice(0, 2))]
  const found = wanted.find(isLanguage)
  if (asked !== null && asked === found) keepLanguage(found)
  return found ?? 'en'
}

export function keepLanguage(language: Language): void {
  // biome-ignore lint/suspicious/noDocumentCookie: CookieStore is missing in browsers that we support.
  document.cookie = `${COOKIE}=${language}; path=/; max-age=31536000; samesite=lax; secure`
}
