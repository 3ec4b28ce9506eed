// Colours for code in the documentation, as classes. Made when a page is rendered, so that readers load no script for it; and
// classes rather than inline styles, which the site's security policy forbids.

import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import ini from 'highlight.js/lib/languages/ini'
import json from 'highlight.js/lib/languages/json'
import nginx from 'highlight.js/lib/languages/nginx'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import { escapeHtml } from './html.ts'

const LANGUAGES = { sh: bash, ini, json, nginx, python, ts: typescript, js: typescript }

for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language)
highlighter.configure({ classPrefix: 'hl-' })

export function highlight(code: string, language: string): string {
  if (!(language in LANGUAGES)) return escapeHtml(code)
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value
}

const NAMES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  ini: 'Configuration',
  json: 'JSON',
  nginx: 'nginx',
  python: 'Python',
  ts: 'TypeScript',
  js: 'JavaScript',
}

/** A block of code; it names its language to readers on a narrow screen. */
export function codeBlock(text: string, language: string): string {
  return frameCode(`<code>${highlight(text, language)}</code>`, NAMES[language])
}

/** With room for its copy button from the start, so that nothing moves when the script adds it. */
export function frameCode(html: string, name: string | undefined): string {
  const label = name === undefined ? '' : ` data-language="${name}"`
  return `<div class="code"${label}><pre tabindex="0">${html}</pre></div>`
}
