// What the pages say, in the reader's language. The words are in one catalogue per language beside this file; a further
// language is one more file and one more line in LANGUAGES.

import rosetta from 'rosetta'
import type english from './en.json'

type Catalogue = typeof english
/** `join.title`: a section of the catalogue and a name in it. */
export type TextKey = { [S in keyof Catalogue]: `${S}.${keyof Catalogue[S] & string}` }[keyof Catalogue]
type Values = Readonly<Record<string, string | number>>

export const LANGUAGES = { en: 'English', sw: 'Kiswahili' } as const
export type Language = keyof typeof LANGUAGES

const CATALOGUES: Record<Language, () => Promise<{ default: Catalogue }>> = {
  en: () => import('./en.json'),
  sw: () => import('./sw.json'),
}
const COOKIE = 'sauti_language'
const catalogue = rosetta<Catalogue>()

/** Call once before anything is shown. */
export async function loadTexts(language: Language): Promise<void> {
  catalogue.set(language, (await CATALOGUES[language]()).default)
  catalogue.locale(language)
  document.documentElement.lang = language
}

export function t(key: TextKey, values?: Values): string {
  return catalogue.t(key, values)
}

/** The text of a key that may not exist, for instance one made of an error's code. */
export function findText(key: string): string | undefined {
  return catalogue.t(key) || undefined
}

export function currentLanguage(): Language {
  return document.documentElement.lang === 'sw' ? 'sw' : 'en'
}

/** The address says it first, then what was chosen before, then the browser. */
export function chooseLanguage(): Language {
  const asked = new URLSearchParams(location.search).get('language')
  const kept = new RegExp(`(?:^|; )${COOKIE}=(\\w+)`).exec(document.cookie)?.[1]
  const wanted = [asked, kept, ...navigator.languages.map(tag => tag.slice(0, 2))]
  const found = wanted.find((tag): tag is Language => tag !== null && tag !== undefined && tag in LANGUAGES)
  if (asked !== null && asked === found) keepLanguage(found)
  return found ?? 'en'
}

export function keepLanguage(language: Language): void {
  // biome-ignore lint/suspicious/noDocumentCookie: CookieStore is missing in browsers that we support.
  document.cookie = `${COOKIE}=${language}; path=/; max-age=31536000; samesite=lax; secure`
}
