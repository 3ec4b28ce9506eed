// The search for canaries finds them in every form, wherever they are.

import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { findTraces } from '../support/canaries.ts'

const WORDS = 'mũndũ "mũgĩ" & wĩra'
const words = Buffer.from(WORDS)

function traces(content: Buffer | string, canary = words): string[] {
  return findTraces({ place: Buffer.from(content as string) }, { canary })
}

it.each<[string, string | Buffer]>([
  ['as it is', `before ${WORDS} after`],
  ['as hexadecimal digits', words.toString('hex')],
  ['in UTF-16', Buffer.from(`x${WORDS}`, 'utf16le')],
  ['in an address', `/path?q=${encodeURIComponent(WORDS)}`],
  ['in a form', `${new URLSearchParams({ a: WORDS })}`],
  ['in a JSON line', JSON.stringify({ a: WORDS })],
  ['in JSON in JSON', JSON.stringify({ a: JSON.stringify({ b: WORDS }) })],
  ['with letters and accents apart', WORDS.normalize('NFD')],
  ...[0, 1, 2].map((before): [string, string] => [
    `in base64 behind ${before} bytes`,
    Buffer.concat([Buffer.alloc(before, 7), words, Buffer.from('more')]).toString('base64'),
  ]),
  ...[0, 1, 2].map((before): [string, string] => [
    `in base64url behind ${before} bytes`,
    Buffer.concat([Buffer.alloc(before, 7), words, Buffer.from('more')]).toString('base64url'),
  ]),
])('words are found %s', (_, content) => {
  expect(traces(content)).not.toEqual([])
})

it('sounds are found as bytes, as base64 and as numbers', () => {
  const sound = randomBytes(64)
  const samples = new Int16Array(new Uint8Array(sound).buffer)
  for (const content of [sound, sound.toString('base64'), JSON.stringify({ data: [...samples] })]) {
    expect(traces(content, sound)).not.toEqual([])
  }
})

it('nothing is found where there is nothing', () => {
  expect(traces(randomBytes(10_000))).toEqual([])
})
