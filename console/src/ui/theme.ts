// The reader's choice of theme, shared by the app, the front page and the documentation: what the system says, light or dark.
// Kept in a cookie, so that the server writes it into the page and nothing flashes.

const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system'
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  const age = theme === 'system' ? 0 : 31_536_000
  // biome-ignore lint/suspicious/noDocumentCookie: CookieStore is missing in browsers that we support.
  document.cookie = `sauti_theme=${theme}; path=/; max-age=${age}; samesite=lax; secure`
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
}

function themeLabel(theme: Theme): string {
  return `Theme: ${theme}. Switch to ${nextTheme(theme)}`
}

/** Binds the switch that the server has written into a page. */
export function bindThemeSwitch(): void {
  for (const button of document.querySelectorAll('.theme')) {
    const label = () => button.setAttribute('aria-label', themeLabel(currentTheme()))
    label()
    button.addEventListener('click', () => {
      setTheme(nextTheme(currentTheme()))
      label()
    })
  }
}
