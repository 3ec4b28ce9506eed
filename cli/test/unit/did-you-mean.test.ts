import { expect, test } from 'vitest'
import { didYouMean, editDistance } from '#cli/did-you-mean.js'
import { runSauti } from '../support/run-sauti.ts'

test.each([
  ['transcrib', 'transcribe'],
  ['tarnscribe', 'transcribe'],
  ['modles', 'models'],
])('%s: did you mean %s', (typed, meant) => {
  expect(didYouMean(typed, ['models', 'transcribe', 'usage'])).toContain(`"${meant}"`)
})

test('what is far from everything gets no guess', () => {
  expect(didYouMean('xyzzy', ['models', 'transcribe', 'usage'])).toBe('')
  expect(editDistance('', 'abc')).toBe(3)
})

test('the command guesses commands and options, and tells its version', async () => {
  expect(await runSauti(['transcrib', 'talk.wav'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('"transcribe"'),
  })
  expect(await runSauti(['key', 'list'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('"keys list"'),
  })
  expect(await runSauti(['usage', '--ulr', 'x'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('"--url"'),
  })
  expect(await runSauti(['--version'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  })
})
