// How many words were heard wrongly: of the names that matter, and of all other words.

/** Words of the names that are missing from what was heard, and edits between the other words. */
export function wordErrors(said: string, heard: string, names: readonly string[]) {
  const nameWords = new Set(names.flatMap(name => name.split(' ')))
  const isName = (word: string) => nameWords.has(word)
  const heardWords = heard.split(' ')
  const missing = said.split(' ').filter(word => isName(word) && !heardWords.includes(word))
  const others = (text: string) => text.split(' ').filter(word => !isName(word))
  return { names: missing.length, others: edits(others(said), others(heard)) }
}

function edits(a: readonly string[], b: readonly string[]): number {
  let row = b.map((_, j) => j + 1)
  a.forEach((word, i) => {
    let corner = i
    let left = i + 1
    row = row.map((above, j) => {
      left = Math.min(above + 1, left + 1, corner + (word === b[j] ? 0 : 1))
      corner = above
      return left
    })
  })
  return row.at(-1) ?? a.length
}
