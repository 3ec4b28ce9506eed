import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

const LIMIT_BYTES = 10_000

test('the whole SDK, bundled for a browser, is at most 10 kB gzipped and brings no library along', async () => {
  const input = fileURLToPath(new URL('../../dist/index.js', import.meta.url))
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const [chunk, ...others] = output
  expect(others).toEqual([])
  expect(chunk.imports).toEqual([])
  expect(Object.keys(chunk.modules).filter(path => path.includes('node_modules'))).toEqual([])
  expect(gzipSync(chunk.code, { level: 9 }).byteLength).toBeLessThanOrEqual(LIMIT_BYTES)
})
