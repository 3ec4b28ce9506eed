// The few pieces of HTML that the documentation is made of.

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

export function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`
}

/** Plain words in which `backticks` mark code. */
export function words(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

export function prose(text: string): string {
  return `<p>${words(text)}</p>`
}

/** Of a part below a heading of the page; it is a link to itself. */
export function heading(id: string, html: string): string {
  return `<h3 id="${id}"><a class="anchor" href="#${id}">${html}</a></h3>`
}

/** A cell that a narrow column still shows in one line. */
const SHORT_CELL_CHARACTERS = 9

/** A name in code that leaves room for a description beside it on a phone. */
const SHORT_NAME_CHARACTERS = 16

/**
 * Head and cells are HTML. Wide tables scroll by themselves, so that the page does not; on a phone those with more than two
 * columns put their cells below each other, each with the name of its column. Columns of numbers stay side by side. Of two columns,
 * the second goes below the first where that holds long names, which would be broken in the middle.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const kind = kindOf(head, rows)
  const cellOf = (cell: string, at: number) =>
    kind === 'stacked' && at > 0 && head.length > 2
      ? `<td data-label="${escapeHtml(plainTextOf(head[at]!))}">${cell}</td>`
      : `<td>${cell}</td>`
  const headCells = head.map(text => `<th scope="col">${text}</th>`).join('')
  const body = rows.map(row => `<tr>${row.map(cellOf).join('')}</tr>`).join('\n')
  return `<div class="scroll" tabindex="0"><table class="${kind}"><thead><tr>${headCells}</tr></thead><tbody>\n${body}\n</tbody></table></div>`
}

function kindOf(
  { length: columns }: readonly string[],
  rows: readonly (readonly string[])[],
): 'stacked' | 'numbers' | 'pairs' {
  if (columns <= 2) return rows.some(([name = '']) => isLongName(name)) ? 'stacked' : 'pairs'
  return rows.every(row => row.slice(1).every(isShort)) ? 'numbers' : 'stacked'
}

function isShort(cell: string): boolean {
  return plainTextOf(cell).length <= SHORT_CELL_CHARACTERS
}

function isLongName(cell: string): boolean {
  const longest = [...cell.matchAll(/<code>(.*?)<\/code>/g)].map(([, name]) => plainTextOf(name!).length)
  return Math.max(0, ...longest) > SHORT_NAME_CHARACTERS
}

const CHARACTERS: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&amp;': '&',
}

/** The words of a piece of HTML, as a reader sees them. */
export function plainTextOf(html: string): string {
  return html
    .replaceAll(/<\/?(?:a|b|code|em|i|mark|span|strong|wbr)\b[^>]*>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/&(?:lt|gt|quot|amp|#39|#x27);/g, entity => CHARACTERS[entity]!)
    .trim()
}
