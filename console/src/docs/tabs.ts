// The language that somebody chose in one block of code is shown in all of them, and on the next page.

const KEPT = 'sauti-code-language'

export function bindTabs(): void {
  const tabs = [...document.querySelectorAll<HTMLInputElement>('.code-tabs input')]
  const choose = (language: string) => {
    for (const tab of tabs) if (tab.dataset.tab === language) tab.checked = true
  }
  const kept = localStorage.getItem(KEPT)
  if (kept !== null) choose(kept)
  for (const tab of tabs) {
    tab.addEventListener('change', () => {
      const language = tab.dataset.tab ?? ''
      localStorage.setItem(KEPT, language)
      choose(language)
    })
  }
}
