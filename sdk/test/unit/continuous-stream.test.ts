import { expect, onTestFinished, test } from 'vitest'
import { openContinuousStream, SautiApiError } from '#sdk/index.js'

const refusal = new SautiApiError({
  status: 402,
  type: 'insufficient_credits',
  code: 'insufficient_credits',
  message: 'No credit.',
  requestId: '',
  retryAfterSeconds: undefined,
})

test('a caller that ignores the promises of send() learns of a failure from `closed` alone', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const stream = openContinuousStream({
    model: 'svc-asr-kikuyu-v1',
    createSession: () => Promise.reject(refusal),
  })
  // More than may be ahead, so that one waits while the stream fails.
  void stream.send(new Int16Array(16_000 * 40))
  await expect(stream.closed).rejects.toBe(refusal)
  void stream.send(new Int16Array(160))
  await expect(stream.send(new Int16Array(160))).rejects.toBe(refusal)
  await new Promise(resolve => setTimeout(resolve, 20))
  expect(unhandled).toEqual([])
})
