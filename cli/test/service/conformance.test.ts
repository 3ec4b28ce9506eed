// sauti conformance against our own service, on each database, and on two nodes that share one.

import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { currentEngine } from '../../../server/test/support/database/database.ts'
import { MODELS_DIR } from '../../../server/test/support/recogniser/samples.ts'
import { Cluster } from '../../../server/test/support/service/cluster.ts'
import { createCustomer } from '../../../server/test/support/service/customer.ts'
import { startTestService, type TestService } from '../../../server/test/support/service/service.ts'
import { makeFolder, runSauti } from '../support/run-sauti.ts'

interface Report {
  readonly findings: readonly { id: string; verdict: string; found?: string }[]
  readonly spent: { sessions: number; seconds: number }
}

/** Where a proof is written, with the slow rules; without it the slow rules are left out. */
const PROOF = process.env.SAUTI_PROOF

/** Models that write what they hear. */
const env = { SAUTI_MODELS_DIR: MODELS_DIR }

const { path, remove } = makeFolder()
afterAll(remove)

function proofOptions(name: string): string[] {
  return PROOF === undefined ? [] : ['--slow', '--report', `${PROOF}/conformance-${name}.md`]
}

function conform(url: string, key: string, ...options: string[]) {
  const args = ['conformance', '--url', url, '--key', key, ...options]
  return runSauti(args, { env: { SAUTI_CA: path('ca.pem') } })
}

/** What was not kept, with what was found. */
function faults({ findings }: Report): string[] {
  return findings.filter(({ verdict }) => verdict !== 'kept').map(({ id, found }) => `${id}: ${found}`)
}

/** Rules that are not seen: those left out because they are slow, and a race that a quick service may win against the audio. */
const UNSEEN = /takes more than a minute|the service was ready before the audio reached it/

describe('one node', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env })
    writeFileSync(path('ca.pem'), service.ca)
  })
  afterAll(() => service.stop())

  it('keeps every rule, ends every session, and costs what was said before', async () => {
    const { key } = await createCustomer(service.database, new Date(), { creditMs: 400_000 })
    const { code, out, err } = await conform(service.baseUrl, key, '--json', ...proofOptions(currentEngine()))
    const report: Report = JSON.parse(out)
    expect(faults(report).filter(fault => !UNSEEN.test(fault))).toEqual([])
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

  it('says so when the key is not taken or nobody answers', async () => {
    const wrong = await conform(service.baseUrl, 'svc_live_v1_wrong')
    expect(wrong).toMatchObject({ code: 3, err: expect.stringContaining('not valid') })
    expect(await conform('https://127.0.0.1:9', 'svc_live_v1_wrong')).toMatchObject({ code: 3, out: '' })
    expect(await conform(service.baseUrl, 'x', '--only', 'nothing')).toMatchObject({ code: 2 })
  })
})

describe.skipIf(currentEngine() !== 'postgres')('two nodes', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await Cluster.start(2, { env })
    writeFileSync(path('ca.pem'), cluster.nodes.map(node => node.process.ca).join('\n'))
  })
  afterAll(() => cluster.stop())

  it('keep every rule, whichever is asked', async () => {
    for (const { url } of cluster.nodes) {
      const { key } = await createCustomer(cluster.database, new Date(), { creditMs: 400_000 })
      const { code, out } = await conform(url, key, '--json', ...proofOptions('two-nodes'))
      expect(faults(JSON.parse(out)).filter(fault => !UNSEEN.test(fault))).toEqual([])
      expect(code).toBe(0)
    }
  }, 600_000)
})
