// Small wrong changes to SQL functions, each one place at a time. Pure: text in, text out.

export interface SqlMutant {
  readonly function: string
  readonly line: number
  readonly change: string
  /** The whole statement with the change in it. */
  readonly sql: string
}

interface Mutator {
  readonly pattern: RegExp
  readonly replacements: readonly string[]
}

/** `$1` in a replacement is the first group of the pattern. */
const MUTATORS: readonly Mutator[] = [
  { pattern: / >= /g, replacements: [' > ', ' < '] },
  { pattern: / <= /g, replacements: [' < ', ' > '] },
  { pattern: / > /g, replacements: [' >= ', ' < '] },
  { pattern: / < /g, replacements: [' <= ', ' > '] },
  { pattern: / <> /g, replacements: [' = '] },
  // Not an assignment: those are `:=`, or follow SET. What is no longer valid SQL is refused by the database and not counted.
  { pattern: / = /g, replacements: [' <> '] },
  { pattern: / \+ /g, replacements: [' - '] },
  { pattern: / - /g, replacements: [' + '] },
  { pattern: / \/ /g, replacements: [' * '] },
  { pattern: / \* (?=\d)/g, replacements: [' / '] },
  { pattern: /([ (])-(?=[a-z])/g, replacements: ['$1'] },
  { pattern: / AND /g, replacements: [' OR '] },
  { pattern: / OR /g, replacements: [' AND '] },
  { pattern: /\bIF NOT (?!FOUND)/g, replacements: ['IF '] },
  { pattern: /\bAND NOT /g, replacements: ['AND '] },
  { pattern: /\bIS NOT (NULL|TRUE)/g, replacements: ['IS $1'] },
  { pattern: /\bIS (NULL|TRUE)/g, replacements: ['IS NOT $1'] },
  { pattern: /\bleast\(/g, replacements: ['greatest('] },
  { pattern: /\bmin\(/g, replacements: ['max('] },
  { pattern: /\b1000\b/g, replacements: ['1001', '1'] },
  { pattern: /([ (])0(?=[,)])/g, replacements: ['$11'] },
  { pattern: /\bRETURN (true|0|gained)\b/g, replacements: ['RETURN NULL'] },
  { pattern: /\bRETURN false\b/g, replacements: ['RETURN true'] },
  { pattern: /'[a-z_]+'/g, replacements: ["'mutated'"] },
  { pattern: /^( *)(IF|WHEN) (?=.* THEN)[^;]*? THEN/gm, replacements: ['$1$2 true THEN', '$1$2 false THEN'] },
  { pattern: /^ *(?:PERFORM|INSERT INTO|UPDATE)\b[^;]*;/gm, replacements: ['NULL;'] },
]

/** Only concurrent transactions could notice a change to a lock, and nothing notices a change to a comment. */
function listPlaces(body: string, pattern: RegExp): RegExpMatchArray[] {
  const withoutComments = body.replace(/--.*$/gm, comment => ' '.repeat(comment.length))
  return [...withoutComments.matchAll(pattern)].filter(([text]) => !/^ *PERFORM FROM/.test(text))
}

/** The newest definition of every function in these migrations, in their order. */
export function readFunctions(migrations: readonly string[]): Map<string, string> {
  const definitions = new Map<string, string>()
  for (const sql of migrations) {
    for (const [text, name] of sql.matchAll(
      /^CREATE (?:OR REPLACE )?FUNCTION (\w+)\([\s\S]*?\$\$[\s\S]*?\$\$;?/gm,
    )) {
      definitions.set(name!, text.replace(/^CREATE (OR REPLACE )?/, 'CREATE OR REPLACE '))
    }
  }
  return definitions
}

export function mutateFunction(name: string, definition: string): SqlMutant[] {
  const bodyAt = definition.indexOf('$$')
  const head = definition.slice(0, bodyAt)
  const body = definition.slice(bodyAt)
  const mutants = MUTATORS.flatMap(({ pattern, replacements }) =>
    listPlaces(body, pattern).flatMap(place =>
      replacements.map(replacement => change(place, fillIn(replacement, place))),
    ),
  )
  return mutants.sort((one, other) => one.line - other.line)

  function change({ 0: text, index }: RegExpMatchArray, changed: string): SqlMutant {
    const line = body.slice(0, index! + text.search(/\S/)).split('\n').length
    const before = body.slice(0, index)
    const after = body.slice(index! + text.length)
    return {
      function: name,
      line,
      change: `${squeeze(text)} → ${squeeze(changed)}`,
      sql: head + before + changed + after,
    }
  }
}

function fillIn(replacement: string, groups: RegExpMatchArray): string {
  return replacement.replace(/\$(\d)/g, (_, index) => groups[Number(index)] ?? '')
}

function squeeze(text: string): string {
  return text.trim().replace(/\s+/g, ' ').slice(0, 80)
}
