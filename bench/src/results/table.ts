// Markdown tables. Numbers are aligned to the right.

export type Cell = string | number | null

export function tableOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const isNumber = head.map((_, i) => rows.every(row => typeof row[i] !== 'string'))
  return [
    `| ${head.join(' | ')} |`,
    `|${isNumber.map(one => (one ? '--:' : '---')).join('|')}|`,
    ...rows.map(row => `| ${row.map(show).join(' | ')} |`),
  ]
}

function show(cell: Cell): string {
  if (cell === null) return '-'
  return typeof cell === 'string' ? cell : number(cell)
}

/** Three digits, or all before the point. */
function number(value: number): string {
  const digits = Math.abs(value) >= 100 || value === 0 ? 0 : 2 - Math.floor(Math.log10(Math.abs(value)))
  return value.toLocaleString('en', { maximumFractionDigits: Math.min(digits, 4) })
}
