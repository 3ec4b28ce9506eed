// The code of the documentation as a reader copies it: from the page that the service serves, with its address filled in.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SHELVES, urlOf } from '#server/http/docs/shelves.js'
import { INSTALLATION } from '#server/installation.js'
import { ask } from './service/https.ts'
import type { TestService } from './service/service.ts'

const BLOCK = /<pre tabindex="0"[^>]*><code>([\s\S]*?)<\/code><\/pre>/g
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  amp: '&',
  '#39': "'",
  '#x27': "'",
}

/** The one block of the page that contains the phrase. */
export async function copySnippet(service: TestService, page: string, phrase: string): Promise<string> {
  const { body } = await ask(service.baseUrl + urlOf(page), { agent: service.agent })
  const found = [...body.matchAll(BLOCK)]
    .map(([, html]) => toText(html!))
    .filter(text => text.includes(phrase))
  if (found.length !== 1) throw new Error(`${page} has ${found.length} blocks with "${phrase}"`)
  return found[0]!
}

function toText(html: string): string {
  return html.replaceAll(/<[^>]+>/g, '').replaceAll(/&(#?\w+);/g, (_, name: string) => ENTITIES[name]!)
}

export interface SourceSnippet {
  readonly page: string
  readonly code: string
}

/** Every block of TypeScript and Python in the sources of the documentation. */
export function listSnippets(): SourceSnippet[] {
  return SHELVES.flatMap(({ paths }) => paths).flatMap(page => {
    const source = readFileSync(join(INSTALLATION.docs, `${page}.md`), 'utf8')
    const blocks = source.matchAll(/^```(?:ts|js|python)\b.*\n([\s\S]*?)^```$/gm)
    return [...blocks].map(([, code]) => ({ page, code: code! }))
  })
}
