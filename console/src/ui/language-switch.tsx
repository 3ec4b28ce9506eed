// The other language of the pages that are translated; the page is loaded anew in it.

import type { JSX } from 'preact'
import { currentLanguage, keepLanguage, LANGUAGES } from '../texts/texts.ts'

export function LanguageSwitch(): JSX.Element {
  const other = currentLanguage() === 'sw' ? 'en' : 'sw'
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
