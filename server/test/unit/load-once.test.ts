import { describe, expect, it } from 'vitest'
import { openAuth } from '#server/http/console/auth/open-auth.js'
import { loadOnce } from '#server/http/load-once.js'

describe('what is loaded at its first use', () => {
  it('is loaded once, however many ask at the same time', async () => {
    let loads = 0
    const load = loadOnce(async () => ++loads)
    expect(await Promise.all([load(), load()])).toEqual([1, 1])
    expect(await load()).toBe(1)
  })

  it('is loaded again after a failure, which only those who waited for it are told', async () => {
    let loads = 0
    const load = loadOnce(async () => {
      loads += 1
      if (loads === 1) throw new Error('too many open files')
      return loads
    })
    const both = await Promise.allSettled([load(), load()])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await load()).toBe(2)
  })
})

it('signing in works again after its library could not be loaded once', async () => {
  const cookieSecrets = ['a secret of this test only, long enough'] as const
  const parts = {
    db: { query: async () => [] },
    cookieSecrets,
    newId: () => 'id',
    publicUrl: () => 'https://sauti.test',
  }
  let loads = 0
  const auth = openAuth(parts, async () => {
    loads += 1
    if (loads === 1) throw new Error('too many open files')
    return import('#server/http/console/auth/auth.js')
  })
  await expect(auth.recognise('')).rejects.toThrow('too many open files')
  expect(await auth.recognise('')).toBeUndefined()
})
