// RESULTS.md, the plots and the sections that show figures are made from bench/results, and from nothing else.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFiles } from '../../../bench/dist/plots/plots.js'
import { README_HEADING, withSection } from '../../../bench/dist/results/sections.js'
import { ARCHITECTURES, RESULT_NAMES } from '../../../bench/dist/results/shapes.js'
import { ROOT } from '../../run.mjs'

const files = makeFiles()
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

describe('a result', () => {
  const known = ARCHITECTURES.flatMap(one => RESULT_NAMES.map(name => `${one}/${name}.json`))
  const recorded = readdirSync(join(ROOT, 'bench/results'), { recursive: true }) as string[]

  it.each(recorded.filter(path => path.endsWith('.json')))(
    '%s is in the folder of its architecture',
    path => {
      expect(known).toContain(path)
      expect(path.split('/')[0]).toBe(JSON.parse(read(`bench/results/${path}`)).machine.architecture)
    },
  )
})

describe('what shows figures', () => {
  it.each([...files.keys()])('%s is what `npm run plots` makes of the results', path => {
    expect(read(path)).toBe(files.get(path))
  })

  it('has no plot that is not made', () => {
    const plots = [...files.keys()].filter(path => path.startsWith('docs/plots/'))
    expect(
      readdirSync(join(ROOT, 'docs/plots'))
        .map(name => `docs/plots/${name}`)
        .sort(),
    ).toEqual(plots.sort())
  })

  it('claims no speed in the README outside of its section', () => {
    const rest = withSection(read('README.md'), README_HEADING, '')
    expect(
      rest.match(/\d[\d.,]* ?(ms|µs|times faster|streams|sessions per second|requests per second)\b/g),
    ).toBeNull()
  })

  it('describes each plot in words, and gives it a background of its own', () => {
    for (const [path, svg] of files) {
      if (!path.endsWith('.svg')) continue
      expect(svg).toMatch(/<title id="title">.+<\/title>\n<desc id="description">.+<\/desc>/)
      expect(svg).toContain('aria-labelledby="title description"')
      expect(svg).toContain('<rect class="ground"')
      expect(svg).toContain('prefers-color-scheme: dark')
      expect(svg).not.toMatch(/NaN|Infinity|undefined/)
    }
  })
})
