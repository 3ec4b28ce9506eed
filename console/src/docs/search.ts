// Search in the documentation: the index is a small file from our own server, read when the field is first used. `/` and
// Ctrl+K lead there from anywhere in the page.

interface Entry {
  readonly title: string
  readonly page: string
  readonly url: string
  readonly text: string
}

const MAX_RESULTS = 8
const EXCERPT_LETTERS = 130

export function bindSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#docs-search')
  const results = document.querySelector<HTMLElement>('#docs-results')
  if (field === null || results === null) return
  let index: Promise<readonly Entry[]> | undefined
  const search = async () => {
    const asked = field.value
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean)
    index ??= readIndex()
    const reading = index
    try {
      const entries = await reading
      // An answer that arrives after the next letter was typed must not replace its results.
      if (field.value === asked) show(results, words, words.length === 0 ? [] : find(entries, words))
    } catch {
      // Forgotten, so that the next letter, or the button, asks again.
      if (index === reading) index = undefined
      if (field.value === asked) showFailure(results, words, () => void search().then(() => field.focus()))
    }
  }
  field.addEventListener('input', search)
  bindKeys(field, results)
}

async function readIndex(): Promise<readonly Entry[]> {
  const response = await fetch('/docs/search.json')
  if (!response.ok) throw new Error(`The search index was answered with ${response.status}.`)
  return response.json()
}

function bindKeys(field: HTMLInputElement, results: HTMLElement): void {
  document.addEventListener('keydown', event => {
    if (!isShortcut(event)) return
    event.preventDefault()
    field.focus()
    field.select()
  })
  const close = () => {
    results.hidden = true
    field.focus()
  }
  field.addEventListener('keydown', event => {
    if (event.key === 'Escape') close()
    if (event.key === 'Enter') results.querySelector('a')?.click()
    if (event.key === 'ArrowDown') move(event, results, field, 1)
  })
  results.addEventListener('keydown', event => {
    if (event.key === 'Escape') close()
    if (event.key === 'ArrowDown') move(event, results, field, 1)
    if (event.key === 'ArrowUp') move(event, results, field, -1)
  })
}

function isShortcut(event: KeyboardEvent): boolean {
  if ((event.ctrlKey || event.metaKey) && event.key === 'k') return true
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
  return event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey
}

/** From the field into the list, through it, and back. */
function move(event: Event, results: HTMLElement, field: HTMLInputElement, step: number): void {
  const links = [...results.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement as HTMLAnchorElement) + step
  event.preventDefault()
  if (at < 0) field.focus()
  else links[Math.min(at, links.length - 1)]?.focus()
}

/** Every word must occur; in a title it counts most. */
function find(entries: readonly Entry[], words: readonly string[]): readonly Entry[] {
  const scored = entries.map(entry => ({ entry, score: scoreOf(entry, words) }))
  const found = scored.filter(one => one.score > 0).sort((a, b) => b.score - a.score)
  return found.slice(0, MAX_RESULTS).map(one => one.entry)
}

function scoreOf(entry: Entry, words: readonly string[]): number {
  const title = `${entry.title} ${entry.page}`.toLowerCase()
  const text = entry.text.toLowerCase()
  let score = 0
  for (const word of words) {
    const here = title.includes(word) ? 5 : text.includes(word) ? 1 : 0
    if (here === 0) return 0
    score += here
  }
  return score
}

function showFailure(results: HTMLElement, words: readonly string[], retry: () => void): void {
  results.hidden = words.length === 0
  const failed = document.createElement('p')
  failed.setAttribute('role', 'alert')
  const again = document.createElement('button')
  again.type = 'button'
  again.className = 'copy'
  again.textContent = 'Try again'
  again.addEventListener('click', retry)
  failed.append('Search could not be loaded. Check your connection. ', again)
  results.replaceChildren(failed)
}

function show(results: HTMLElement, words: readonly string[], entries: readonly Entry[]): void {
  results.hidden = words.length === 0
  if (words.length > 0 && entries.length === 0) {
    const nothing = document.createElement('p')
    nothing.setAttribute('role', 'status')
    nothing.textContent = `No results for “${words.join(' ')}”.`
    results.replaceChildren(nothing)
    return
  }
  const list = document.createElement('ul')
  list.append(...entries.map(entry => createItem(entry, words)))
  results.replaceChildren(list)
}

function createItem(entry: Entry, words: readonly string[]): HTMLLIElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = entry.url
  const title = document.createElement('strong')
  title.textContent = entry.title === entry.page ? entry.title : `${entry.page} › ${entry.title}`
  const excerpt = document.createElement('span')
  excerpt.append(...markWords(excerptOf(entry.text, words), words))
  link.append(title, excerpt)
  item.append(link)
  return item
}

/** Some text around the first word that was found. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = words.map(word => lower.indexOf(word)).filter(at => at >= 0)
  const at = Math.max(0, Math.min(...places, text.length) - 40)
  const start = at === 0 ? 0 : text.indexOf(' ', at) + 1
  if (start + EXCERPT_LETTERS >= text.length) return `${start > 0 ? '…' : ''}${text.slice(start)}`
  const cut = text.slice(start, start + EXCERPT_LETTERS).replace(/\s+\S*$/, '')
  return `${start > 0 ? '…' : ''}${cut}…`
}

function markWords(text: string, words: readonly string[]): Node[] {
  const pattern = new RegExp(`(${words.map(escapePattern).join('|')})`, 'gi')
  return text.split(pattern).map((part, at) => {
    if (at % 2 === 0) return document.createTextNode(part)
    const mark = document.createElement('mark')
    mark.textContent = part
    return mark
  })
}

function escapePattern(word: string): string {
  return word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
