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

/** A paragraph of plain words in which `backticks` mark code. */
export function prose(text: string): string {
  return `<p>${escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>`
}

/**
 * Head and cells are HTML. Wide tables scroll by themselves, so that the page does not; on a phone those with more than two
 * columns put their cells below each other, each with the name of its column.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const isStacked = head.length > 2
  const cellOf = (cell: string, at: number) =>
    isStacked && at > 0
      ? `<td data-label="${escapeHtml(stripTags(head[at]!))}">${cell}</td>`
      : `<td>${cell}</td>`
  const headCells = head.map(text => `<th scope="col">${text}</th>`).join('')
  const body = rows.map(row => `<tr>${row.map(cellOf).join('')}</tr>`).join('\n')
  const kind = isStacked ? ' class="stacked"' : ''
  return `<div class="scroll" tabindex="0"><table${kind}><thead><tr>${headCells}</tr></thead><tbody>\n${body}\n</tbody></table></div>`
}

export function stripTags(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
