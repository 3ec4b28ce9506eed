// Faults that axe finds on a page.

import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** All rules of axe, or only some. */
export async function findViolations(shown: Page, rules?: readonly string[]): Promise<string[]> {
  await shown.evaluate(axe.source)
  return shown.evaluate(async only => {
    const options = { resultTypes: ['violations'], preload: false, ...(only && { runOnly: only }) }
    // biome-ignore lint/suspicious/noExplicitAny: axe puts itself on the window.
    const { violations } = await (window as any).axe.run(document, options)
    return violations.map(
      (violation: { id: string; nodes: { target: string[] }[] }) =>
        `${violation.id}: ${violation.nodes.map(node => node.target.join(' ')).join(', ')}`,
    )
  }, rules)
}
