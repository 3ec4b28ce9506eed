// sauti conformance against our own service, on each database. Two nodes that share one are in ../postgres.

import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { currentEngine } from '../../../server/test/support/database/database.ts'
import { createCustomer } from '../../../server/test/support/service/customer.ts'
import { startTestService, type TestService } from '../../../server/test/support/service/service.ts'
import { conform, env, faults, path, proofOptions, type Report } from '../support/conform.ts'

describe('one node', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env })
    writeFileSync(path('ca.pem'), service.ca)
  })
  afterAll(() => service.stop())

  it('keeps every rule, ends every session, and costs what was announced', async () => {
    const { key } = await createCustomer(service.database, new Date(), { creditMs: 400_000 })
    const { code, out, err } = await conform(service.baseUrl, key, '--json', ...proofOptions(currentEngine()))
    const report: Report = JSON.parse(out)
    expect(faults(report)).toEqual([])
    expect(code).toBe(0)
    const [, sessions, seconds] = /up to (\d+) sessions and (\d+) seconds/.exec(err)!
    expect(report.spent.sessions).toBe(Number(sessions))
    expect(report.spent.seconds).toBeLessThanOrEqual(Number(seconds))
    const open = await service.database.query(
      "SELECT id FROM sessions WHERE status IN ('reserved', 'active')",
    )
    expect(open).toEqual([])
  }, 300_000)

  it('looks only at the rules that are asked for, and can write its findings to a file', async () => {
    const { key } = await createCustomer(service.database, new Date())
    const report = path('report.md')
    const { code, out, err } = await conform(service.baseUrl, key, '--only', 'models.', '--report', report)
    expect({ code, sessions: err.match(/up to 0 sessions/)?.length }).toEqual({ code: 0, sessions: 1 })
    expect(out).toContain('ok   spec 4.1  models.public:')
    expect(out).toMatch(/11 rules: 11 kept, 0 broken, 0 not seen/)
  })

  it('says so when the key is refused or nobody answers', async () => {
    const wrong = await conform(service.baseUrl, 'svc_live_v1_wrong')
    expect(wrong).toMatchObject({ code: 3, err: expect.stringContaining('not valid') })
    expect(await conform('https://127.0.0.1:9', 'svc_live_v1_wrong')).toMatchObject({ code: 3, out: '' })
    expect(await conform(service.baseUrl, 'x', '--only', 'nothing')).toMatchObject({ code: 2 })
  })
})
