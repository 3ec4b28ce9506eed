import { describe, expect, it } from 'vitest'
import { createLogger } from '#server/log.js'

const KEY = 'svc_live_v1_AbCdEf0123456789-_AbCdEf0123456789'
const CREDENTIAL = 'svc.auth.eyJ.AbC-123_xyz'

function logged(write: (log: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = []
  write(createLogger('trace', { write: line => void lines.push(line) }))
  return lines.join('')
}

describe('the log', () => {
  it('masks secrets in fields that carry them, however deep', () => {
    const headers = {
      authorization: 'Basic canary-1',
      'sec-websocket-protocol': 'canary-2',
      cookie: 'canary-3',
    }
    const text = logged(log => log.info({ ...headers, req: { headers }, err: { req: { headers } } }, 'x'))
    expect(text).not.toContain('canary')
  })

  it.each([
    ['a message', (log: ReturnType<typeof createLogger>) => log.info(`got ${KEY} and ${CREDENTIAL}`)],
    ['a field', log => log.info({ query: `where key = '${KEY}'`, list: [CREDENTIAL] }, 'x')],
    ['an error', log => log.error({ err: new Error(`no ${KEY}`, { cause: new Error(CREDENTIAL) }) }, 'x')],
    ['a header', log => log.info(`authorization: Bearer ${KEY.slice(12)}`)],
    ['an address', log => log.info('postgres://sauti:AbCdEf0123456789@db/x')],
  ] as [string, (log: ReturnType<typeof createLogger>) => void][])('masks secrets in %s', (_, write) => {
    const text = logged(write)
    expect(text).not.toMatch(/AbC/)
    expect(JSON.parse(text).level).toMatch(/info|error/)
  })

  it('writes of an error only what explains it', () => {
    const error = Object.assign(new Error('refused'), {
      code: '23505',
      constraint: 'c',
      rows: ['row-canary'],
    })
    const line = JSON.parse(logged(log => log.warn({ err: error }, 'x')))
    expect(line.err).toMatchObject({ type: 'Error', message: 'refused', code: '23505', constraint: 'c' })
    expect(JSON.stringify(line)).not.toContain('canary')
  })
})
