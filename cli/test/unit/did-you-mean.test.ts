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
  for (const word of ['--version', '-V', '-v', 'version'])
    expect(await runSauti([word]), word).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    })
  expect(await runSauti(['--versio'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('did you mean "--version"?'),
  })
  expect(await runSauti(['--frobnicate'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('there is no command "--frobnicate"'),
  })
})

test('help can be asked for in both orders', async () => {
  for (const command of [['transcribe'], ['keys', 'create'], ['keys']]) {
    const after = await runSauti([...command, '--help'])
    expect(after, command.join(' ')).toMatchObject({ code: 0 })
    expect(await runSauti(['help', ...command])).toEqual(after)
  }
  expect(await runSauti(['help', 'transcrib'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('"transcribe"'),
  })
})
