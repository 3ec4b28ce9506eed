// A button that goes through the themes, and a choice of them for the settings page.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../texts/texts.ts'
import { Chips } from './chips.tsx'
import { Icon } from './icons.tsx'
import { currentTheme, nextTheme, setTheme, type Theme } from './theme.ts'

/** All three drawings are in the button; the styles show the one that is chosen. */
export function ThemeSwitch(): JSX.Element {
  const [theme, choose] = useTheme()
  return (
    <button
      type="button"
      class="theme"
      onClick={() => choose(nextTheme(currentTheme()))}
      aria-label={labelOf(theme)}
    >
      <Icon name="system" />
      <Icon name="sun" />
      <Icon name="moon" />
    </button>
  )
}

function labelOf(theme: Theme): string {
  return t('common.theme', { now: t(`common.theme_${theme}`), next: t(`common.theme_${nextTheme(theme)}`) })
}

const OPTIONS = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

export function ThemeChoice(): JSX.Element {
  const [theme, choose] = useTheme()
  return <Chips<Theme> legend="Theme" value={theme} options={OPTIONS} onValue={choose} />
}

function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setShown] = useState(currentTheme)
  return [
    theme,
    chosen => {
      setTheme(chosen)
      setShown(chosen)
    },
  ]
}
