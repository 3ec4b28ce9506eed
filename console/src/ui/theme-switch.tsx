// Light or dark by the reader's choice. Kept in a cookie, so that the server writes it into the page and nothing flashes.

import type { JSX } from 'preact'
import { switchTheme } from './theme.ts'

export function ThemeSwitch(): JSX.Element {
  return (
    <button type="button" class="theme" onClick={switchTheme} aria-label="Switch between light and dark">
      <svg
        class="moon"
        width="20"
        height="20"
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linejoin="round"
        aria-hidden="true"
      >
        <path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z" />
      </svg>
      <svg
        class="sun"
        width="20"
        height="20"
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
        aria-hidden="true"
      >
        <path d="M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM12 2v2M12 20v2M4 12H2M22 12h-2M5 5l1.4 1.4M17.6 17.6 19 19M19 5l-1.4 1.4M6.4 17.6 5 19" />
      </svg>
    </button>
  )
}
