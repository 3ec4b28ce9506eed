// Light or dark by the reader's choice. Kept in a cookie, so that the server writes it into the page and nothing flashes.

import type { JSX } from 'preact'
import { Icon } from './icons.tsx'
import { switchTheme } from './theme.ts'

/** Both drawings stand in the button; the styles show the one that fits. */
export function ThemeSwitch(): JSX.Element {
  return (
    <button type="button" class="theme" onClick={switchTheme} aria-label="Switch between light and dark">
      <Icon name="moon" />
      <Icon name="sun" />
    </button>
  )
}
