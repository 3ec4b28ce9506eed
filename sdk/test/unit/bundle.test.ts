import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

const INDEX = fileURLToPath(new URL('../../dist/index.js', import.meta.url))

/** A page that imports the given names, bundled as a browser gets it. */
async function bundle(names: string) {
  const page = { name: 'page', resolveId: (id: string) => (id === 'page' ? id : null) }
  const load = (id: string) => (id === 'page' ? `export ${names} from ${JSON.stringify(INDEX)}` : null)
  const bundled = await rolldown({ input: 'page', platform: 'browser', plugins: [{ ...page, load }] })
  const { output } = await bundled.generate({ format: 'esm', minify: true })
  await bundled.close()
  const [chunk, ...others] = output
  expect(others).toEqual([])
  expect(chunk.imports).toEqual([])
  expect(Object.keys(chunk.modules).filter(path => path.includes('node_modules'))).toEqual([])
  return gzipSync(chunk.code, { level: 9 }).byteLength
}

test('the whole SDK, bundled for a browser, is at most 12 kB gzipped and includes no other library', async () => {
  expect(await bundle('*')).toBeLessThanOrEqual(12_000)
})

test('a page that needs no continuous stream does not load it: at most 8 kB', async () => {
  expect(await bundle('{ openLiveSession, captureMicrophone, toPcm16k }')).toBeLessThanOrEqual(8_000)
})
