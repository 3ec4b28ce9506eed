// Colours for code in the documentation: comments, strings, numbers and the words of the language. Made at start, so that
// readers load no script for it.

import { escapeHtml } from './html.ts'

const SCRIPT_WORDS =
  'await async break case catch class const continue else export finally for from function if import in interface let new of return throw try type while'
const PYTHON_WORDS =
  'and as async await break def elif else except finally for from if import in is not or return try while with None True False'
const SHELL_WORDS = 'curl export npm npx node sauti docker pip python psql openssl'

interface Language {
  readonly comment: string
  readonly string: string
  readonly words: string
}

const SCRIPT: Language = {
  comment: '//[^\\n]*',
  string: '\'[^\'\\n]*\'|"[^"\\n]*"|`[^`]*`',
  words: SCRIPT_WORDS,
}
const LANGUAGES: Readonly<Record<string, Language>> = {
  ts: SCRIPT,
  js: SCRIPT,
  json: { comment: '//[^\\n]*', string: '"[^"\\n]*"', words: 'true false null' },
  python: { comment: '#[^\\n]*', string: 'f?"[^"\\n]*"|f?\'[^\'\\n]*\'', words: PYTHON_WORDS },
  sh: { comment: '(?:^|(?<=\\s))#[^\\n]*', string: '"[^"]*"|\'[^\']*\'', words: SHELL_WORDS },
}

export function highlight(code: string, language: string): string {
  const rules = LANGUAGES[language]
  if (!rules) return escapeHtml(code)
  const words = rules.words.split(' ').join('|')
  const token = new RegExp(
    `(?<c>${rules.comment})|(?<s>${rules.string})|(?<k>(?<![\\w/:.=-])(?:${words})(?![\\w.-]))|(?<n>(?<![\\w.])\\d[\\d_.]*)`,
    'gm',
  )
  let html = ''
  let at = 0
  for (const match of code.matchAll(token)) {
    const [kind] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!
    html += `${escapeHtml(code.slice(at, match.index))}<span class="hl-${kind}">${escapeHtml(match[0])}</span>`
    at = match.index + match[0].length
  }
  return html + escapeHtml(code.slice(at))
}
