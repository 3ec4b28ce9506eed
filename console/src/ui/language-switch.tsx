// The next language of the pages that are translated; the page is loaded anew in it.

import type { JSX } from 'preact'
import { currentLanguage, keepLanguage, LANGUAGES, type Language } from '../texts/texts.ts'

export function LanguageSwitch(): JSX.Element {
  const all = Object.keys(LANGUAGES) as Language[]
  const other = all[(all.indexOf(currentLanguage()) + 1) % all.length] ?? 'en'
  const change = () => {
    keepLanguage(other)
    const address = new URL(location.href)
    address.searchParams.delete('language')
    history.replaceState(null, '', address)
    location.reload()
  }
  return (
    <button type="button" class="language" lang={other} onClick={change}>
      {LANGUAGES[other]}
    </button>
  )
}
