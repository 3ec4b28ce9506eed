// Lighthouse against the running service: the front page and pages of the documentation, as a phone and as a desktop computer
// see them. Prints a table of medians and what cost points. RUNS chooses how often each page is measured (3), ONLY=/docs some.

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { arch, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { it } from 'vitest'
import { publicKeyHash } from '../../../sdk/test/support/browser.ts'
import { pathOf } from '../../../server/test/support/programs.ts'
import { REAL_MODELS, type Site, startSite } from '../support/site.ts'

const run = promisify(execFile)
/** Fetched by npx when it is asked for: with all its parts it is larger than everything else that we develop with. */
const LIGHTHOUSE = 'lighthouse@13.5.0'
const RUNS = Number(process.env.RUNS ?? 3)
const PATHS = process.env.ONLY?.split(',') ?? [
  '/',
  '/sw',
  '/docs',
  '/docs/quickstart',
  '/docs/reference/http',
]
const FORMS = { mobile: [], desktop: ['--preset=desktop'] } as const
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const

interface Report {
  readonly categories: Record<string, { score: number; auditRefs: { id: string; weight: number }[] }>
  readonly audits: Record<
    string,
    { score: number | null; title: string; displayValue?: string; numericValue?: number }
  >
}

it('measures the front page and the documentation', async () => {
  const site = await startSite(REAL_MODELS)
  try {
    const rows: string[] = []
    for (const path of PATHS)
      for (const form of Object.keys(FORMS) as (keyof typeof FORMS)[]) {
        const reports: Report[] = []
        for (let at = 0; at < RUNS; at++) reports.push(await measureAgain(site, path, form))
        rows.push(describe(path, form, reports))
        process.stdout.write(`${rows.at(-1)}${describeLosses(reports)}\n`)
      }
    process.stdout.write(
      `\nmedians of ${RUNS}, ${LIGHTHOUSE}, ${process.platform} ${arch()}\n${[...HEAD, ...rows].join('\n')}\n`,
    )
  } finally {
    await site.stop()
  }
})

const MOST_ATTEMPTS = 4

/** Now and then Chromium's trace lacks its beginning (NO_NAVSTART); Lighthouse asks to be run again. */
async function measureAgain(site: Site, path: string, form: keyof typeof FORMS): Promise<Report> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await measure(site, path, form)
    } catch (error) {
      if (attempt === MOST_ATTEMPTS) throw error
    }
  }
}

async function measure(site: Site, path: string, form: keyof typeof FORMS): Promise<Report> {
  const file = join(mkdtempSync(join(tmpdir(), 'sauti-lighthouse-')), 'report.json')
  const flags = `--headless=new --no-sandbox --disable-gpu --ignore-certificate-errors-spki-list=${publicKeyHash(site)}`
  const output = ['--output=json', `--output-path=${file}`, '--quiet', `--chrome-flags=${flags}`]
  await run('npx', ['--yes', LIGHTHOUSE, site.baseUrl + path, ...output, ...FORMS[form]], {
    // The repository's settings refuse a package that asks for a newer Node.js than ours; npm hands them on to what it runs.
    cwd: tmpdir(),
    env: { ...process.env, CHROME_PATH: pathOf('chromium'), npm_config_engine_strict: 'false' },
    maxBuffer: 64 * 2 ** 20,
  })
  return JSON.parse(readFileSync(file, 'utf8'))
}

const HEAD = [
  '| page | as | performance | accessibility | best practices | SEO | LCP | CLS | blocking |',
  '|---|---|--:|--:|--:|--:|--:|--:|--:|',
]

function describe(path: string, form: string, reports: readonly Report[]): string {
  const scores = CATEGORIES.map(name =>
    Math.round(median(reports, report => report.categories[name]!.score) * 100),
  )
  const figure = (name: string) => median(reports, report => report.audits[name]?.numericValue ?? 0)
  const lcp = `${(figure('largest-contentful-paint') / 1000).toFixed(1)} s`
  const shift = figure('cumulative-layout-shift').toFixed(3)
  const blocking = `${Math.round(figure('total-blocking-time'))} ms`
  return `| ${[`\`${path}\``, form, ...scores, lcp, shift, blocking].join(' | ')} |`
}

/** What weighs in a score and was not perfect, in the last of the reports. */
function describeLosses(reports: readonly Report[]): string {
  const { categories, audits } = reports.at(-1)!
  const ids = CATEGORIES.flatMap(name => categories[name]!.auditRefs.filter(ref => ref.weight > 0))
  const lost = ids.map(({ id }) => audits[id]!).filter(({ score }) => score !== null && score < 0.99)
  return lost.map(({ title, score, displayValue = '' }) => `\n    ${score} ${title} ${displayValue}`).join('')
}

function median(reports: readonly Report[], read: (report: Report) => number): number {
  const sorted = reports.map(read).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}
