// The reader's choice of light or dark, shared by the app, the front page and the documentation.

export function switchTheme(): void {
  const root = document.documentElement
  const systemDark = matchMedia('(prefers-color-scheme: dark)').matches
  const now = root.dataset.theme ?? (systemDark ? 'dark' : 'light')
  const next = now === 'dark' ? 'light' : 'dark'
  root.dataset.theme = next
  // biome-ignore lint/suspicious/noDocumentCookie: CookieStore is missing in browsers that we support.
  document.cookie = `sauti_theme=${next}; path=/; max-age=31536000; samesite=lax; secure`
}

/** Binds the switch that the server has written into a page. */
export function bindThemeSwitch(): void {
  for (const button of document.querySelectorAll('.theme')) button.addEventListener('click', switchTheme)
}
