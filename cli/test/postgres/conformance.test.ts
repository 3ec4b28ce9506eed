// sauti conformance against two nodes that share a database.

import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Cluster } from '../../../server/test/support/service/cluster.ts'
import { createCustomer } from '../../../server/test/support/service/customer.ts'
import { conform, env, faults, path, proofOptions } from '../support/conform.ts'

describe('two nodes', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await Cluster.start(2, { env })
    writeFileSync(path('ca.pem'), cluster.nodes.map(node => node.process.ca).join('\n'))
  })
  afterAll(() => cluster.stop())

  it('keep every rule, both at the same time', async () => {
    const runs = cluster.nodes.map(async ({ url }) => {
      const { key } = await createCustomer(cluster.database, new Date(), { creditMs: 400_000 })
      return conform(url, key, '--json', ...proofOptions('two-nodes'))
    })
    for (const { code, out } of await Promise.all(runs)) {
      expect(faults(JSON.parse(out))).toEqual([])
      expect(code).toBe(0)
    }
  }, 600_000)
})
