import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listShippedPackages } from '../../licences.mjs'
import { ROOT } from '../../run.mjs'

it('ships only packages whose licences allow it', () => {
  const shipped = listShippedPackages()
  expect(shipped.length).toBeGreaterThan(100)
  expect(shipped.filter(({ isPermitted }) => !isPermitted)).toEqual([])
})

it('describes every shipped package in the SBOM, with its hash and without addresses', () => {
  execFileSync(process.execPath, [join(ROOT, 'scripts/sbom.mjs')], { stdio: ['ignore', 'ignore', 'pipe'] })
  const text = readFileSync(join(ROOT, 'dist/sbom.cdx.json'), 'utf8')
  const { components } = JSON.parse(text) as { components: { purl: string; hashes: { content: string }[] }[] }
  expect(components).toHaveLength(listShippedPackages().length)
  expect(components.map(({ purl }) => purl)).toContainEqual(
    expect.stringMatching(/^pkg:npm\/%40electric-sql\/pglite@/),
  )
  for (const { hashes } of components) expect(hashes[0]?.content).toMatch(/^[0-9a-f]{128}$/)
  expect(text).not.toMatch(/https?:\/\/[^"]*\.tgz/)
})
