import { expect, test } from 'vitest'
import { SessionSlots } from '#sdk/continuous/session-slots.js'
import { type AsrSession, SautiApiError } from '#sdk/index.js'

const refusal = (code = 'concurrency_limit_exceeded') =>
  new SautiApiError({
    status: 429,
    type: 'rate_limit_error',
    code,
    message: '',
    requestId: '',
    retryAfterSeconds: 5,
  })

/** An account that allows this many sessions and settles each of them shortly after its end. Time runs ten times as fast. */
function setUp(allowed: number) {
  let [open, most] = [0, 0]
  const slots = new SessionSlots(
    ms => new Promise(resolve => setTimeout(resolve, ms / 10)),
    () => performance.now() * 10,
  )
  const create = async (): Promise<AsrSession> => {
    await new Promise(resolve => setImmediate(resolve))
    if (open >= allowed) throw refusal()
    most = Math.max(most, ++open)
    return {} as AsrSession
  }
  const use = async () => {
    await slots.acquire(create)
    await new Promise(resolve => setTimeout(resolve, 2))
    // The service settles a little after we have hung up.
    setTimeout(() => open--, 20)
    slots.release()
  }
  return { slots, use, most: () => most }
}

test.each([1, 2, 5])(
  'ten files with an account that allows %i sessions: all get their turn',
  async allowed => {
    const { use, most } = setUp(allowed)
    await Promise.all(Array.from({ length: 10 }, use))
    expect(most()).toBe(allowed)
  },
)

test('a session of somebody else is not waited for here, and other refusals are passed on', async () => {
  const { slots } = setUp(1)
  for (const code of ['concurrency_limit_exceeded', 'request_rate_exceeded']) {
    await expect(slots.acquire(() => Promise.reject(refusal(code)))).rejects.toMatchObject({ code })
  }
})

test('a caller that is aborted while it waits for a slot leaves at once, and the slot goes to the next one', async () => {
  const { slots } = setUp(1)
  const create = () => Promise.resolve('session')
  await slots.acquire(create)
  let refusals = 1
  const createSecond = async () => {
    if (refusals-- > 0) throw refusal()
    return 'second'
  }
  const over = new AbortController()
  const aborted = slots.acquire(() => Promise.reject(refusal()), over.signal)
  const next = slots.acquire(createSecond)
  await expect.poll(() => refusals).toBe(0)
  over.abort(new Error('enough'))
  await expect(aborted).rejects.toThrow('enough')
  await expect(slots.acquire(create, over.signal)).rejects.toThrow('enough')
  slots.release()
  await expect(next).resolves.toBe('second')
})
