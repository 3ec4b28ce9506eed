// Search in the documentation: the index is a small file from our own server, read when the field is first used.

interface Entry {
  readonly title: string
  readonly page: string
  readonly url: string
  /** In lower case. */
  readonly text: string
}

const MAX_RESULTS = 8

export function bindSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#docs-search')
  const list = document.querySelector<HTMLUListElement>('#docs-results')
  if (field === null || list === null) return
  let entries: Promise<readonly Entry[]> | undefined
  field.addEventListener('input', async () => {
    entries ??= fetch('/docs/search.json').then(response => response.json())
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    show(list, words.length === 0 ? [] : find(await entries, words))
  })
  field.addEventListener('keydown', event => {
    if (event.key === 'Escape') show(list, [])
    if (event.key === 'ArrowDown') list.querySelector('a')?.focus()
  })
}

/** Every word must occur; in a title it counts most. */
function find(entries: readonly Entry[], words: readonly string[]): readonly Entry[] {
  const scored = entries.map(entry => ({ entry, score: scoreOf(entry, words) }))
  const found = scored.filter(one => one.score > 0).sort((a, b) => b.score - a.score)
  return found.slice(0, MAX_RESULTS).map(one => one.entry)
}

function scoreOf(entry: Entry, words: readonly string[]): number {
  const title = `${entry.title} ${entry.page}`.toLowerCase()
  let score = 0
  for (const word of words) {
    const here = title.includes(word) ? 5 : entry.text.includes(word) ? 1 : 0
    if (here === 0) return 0
    score += here
  }
  return score
}

function show(list: HTMLUListElement, entries: readonly Entry[]): void {
  list.hidden = entries.length === 0
  list.replaceChildren(...entries.map(createItem))
}

function createItem(entry: Entry): HTMLLIElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = entry.url
  const title = document.createElement('strong')
  title.textContent = entry.title
  const page = document.createElement('span')
  page.textContent = entry.page
  link.append(title, page)
  item.append(link)
  return item
}
