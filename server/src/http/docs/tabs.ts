// The same thing in several languages: blocks of code that follow on each other, each with a tab's name (```ts tab:TypeScript),
// become one block with tabs. Radio buttons and CSS, so that it works without scripts and nothing moves.

import { frameCode } from './highlight.ts'
import { escapeHtml } from './html.ts'

const TABBED = /(?:<pre tabindex="0" data-tab="[^"]+">[\s\S]*?<\/pre>\s*){2,}/g
const ONE = /<pre tabindex="0" data-tab="([^"]+)">([\s\S]*?)<\/pre>/g

export function groupTabs(html: string): string {
  let group = 0
  return html.replaceAll(TABBED, blocks => {
    group += 1
    return renderGroup(`tabs-${group}`, [...blocks.matchAll(ONE)])
  })
}

function renderGroup(name: string, blocks: readonly RegExpMatchArray[]): string {
  const tabs = blocks.map(([, title = ''], at) => {
    const checked = at === 0 ? ' checked' : ''
    return `<input type="radio" name="${name}" id="${name}-${at}" data-tab="${title}"${checked}><label for="${name}-${at}">${escapeHtml(title)}</label>`
  })
  const panels = blocks.map(([, title, code]) => `<div class="panel">${frameCode(code!, title)}</div>`)
  return `<div class="code-tabs"><fieldset><legend class="visually-hidden">Language</legend>${tabs.join('')}</fieldset>${panels.join('')}</div>\n`
}
