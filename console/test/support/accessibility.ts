// Faults that axe finds on a page.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const require = createRequire(import.meta.url)
/** `axe.source` is the same with all its comments, and takes the browser longer to read than most pages take to be checked. */
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** All rules of axe, or only some. */
export async function findViolations(shown: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await shown.evaluate(() => 'axe' in window))) await shown.evaluate(AXE)
  return shown.evaluate(async only => {
    // What fades in has too little contrast until it is there.
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
    const options = { resultTypes: ['violations'], preload: false, ...(only && { runOnly: only }) }
    // biome-ignore lint/suspicious/noExplicitAny: axe puts itself on the window.
    const { violations } = await (window as any).axe.run(document, options)
    return violations.map(
      (violation: { id: string; nodes: { target: string[] }[] }) =>
        `${violation.id}: ${violation.nodes.map(node => node.target.join(' ')).join(', ')}`,
    )
  }, rules)
}
