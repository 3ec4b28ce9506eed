// Which words of a text are right: the cheapest way to turn one text into the other, word by word. Pure.

/** Word `reference` of the known text is word `heard` of what was recognised, and the same. */
interface Match {
  readonly reference: number
  readonly heard: number
}

export interface Comparison {
  readonly errors: number
  readonly matches: readonly Match[]
}

export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter(word => word !== '')
}

/** Substitutions, insertions and deletions, and the words that are right. */
export function compareWords(reference: readonly string[], heard: readonly string[]): Comparison {
  const costs = editCosts(reference, heard)
  const matches: Match[] = []
  let [r, h] = [reference.length, heard.length]
  while (r > 0 && h > 0) {
    const isSame = reference[r - 1] === heard[h - 1]
    if (costs[r]![h] === costs[r - 1]![h - 1]! + (isSame ? 0 : 1)) {
      r--
      h--
      if (isSame) matches.unshift({ reference: r, heard: h })
    } else if (costs[r]![h] === costs[r - 1]![h]! + 1) r--
    else h--
  }
  return { errors: costs[reference.length]![heard.length]!, matches }
}

function editCosts(reference: readonly string[], heard: readonly string[]): number[][] {
  const costs = [Array.from({ length: heard.length + 1 }, (_, h) => h)]
  for (let r = 1; r <= reference.length; r++) {
    const row = [r]
    for (let h = 1; h <= heard.length; h++) {
      const replaced = costs[r - 1]![h - 1]! + (reference[r - 1] === heard[h - 1] ? 0 : 1)
      row.push(Math.min(replaced, costs[r - 1]![h]! + 1, row[h - 1]! + 1))
    }
    costs.push(row)
  }
  return costs
}
