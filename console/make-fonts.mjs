// Cuts the site's one typeface, Inter, down to the letters that the pages and transcripts use. Two files, because the package
// keeps ĩ and ũ apart from basic Latin; together about 30 kB instead of 133 kB.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'

const PACKAGE = new URL('.', import.meta.resolve('@fontsource-variable/inter/package.json'))
const TARGET = new URL('./.fonts/', import.meta.url)

/** All letters of ASCII and Latin-1, then the punctuation and arrows of the pages. */
const BASIC = `${characters(0x20, 0x7e)}${characters(0xa0, 0xff)}–—‘’“”•…←→↑↓−×`
/** Kikuyu's two letters; ŋ is for names from neighbouring languages. */
const KIKUYU = 'ĩĨũŨŋŊ'
/** The pages use two weights. */
const WEIGHTS = { wght: { min: 400, max: 500 } }

mkdirSync(TARGET, { recursive: true })
await cut('inter-latin-wght-normal.woff2', BASIC, 'inter-basic.woff2')
await cut('inter-latin-ext-wght-normal.woff2', KIKUYU, 'inter-kikuyu.woff2')
writeFileSync(new URL('inter-licence.txt', TARGET), readFileSync(new URL('LICENSE', PACKAGE)))

async function cut(source, letters, name) {
  const font = readFileSync(fileURLToPath(new URL(`files/${source}`, PACKAGE)))
  const subset = await subsetFont(font, letters, { targetFormat: 'woff2', variationAxes: WEIGHTS })
  writeFileSync(new URL(name, TARGET), subset)
}

function characters(from, to) {
  return Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)).join('')
}
