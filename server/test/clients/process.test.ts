import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failToStart, startServiceProcess } from '../../../scripts/service-process.mjs'
import { createMigratedDatabase, type TestDatabase } from '../support/database/database.ts'
import { tinyModelsDir } from '../support/recogniser/tiny-models.ts'

let store: TestDatabase
let env: Record<string, string>
const models = tinyModelsDir()

beforeAll(async () => {
  store = await createMigratedDatabase('embedded')
  const recogniser = { SAUTI_MODELS_DIR: models.modelsDir, SAUTI_RECOGNISER_WORKERS: '1' }
  env = { ...store.env, ...recogniser, SAUTI_PORT: '0' }
})

afterAll(async () => {
  await store.remove()
  models.remove()
})

describe('the process of the service', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('exits cleanly on %s', async signal => {
    const service = await startServiceProcess(env)
    expect(await service.end(signal)).toBe(0)
  })

  it('names every bad setting and exits with the code for wrong settings', async () => {
    const { code, said } = await failToStart({ ...env, SAUTI_PORT: 'http', SAUTI_HOTS: 'x' })
    expect(code).toBe(78)
    expect(said).toBe(
      'sauti: the settings are wrong:\n  SAUTI_HOTS is not a setting\n' +
        '  SAUTI_PORT must be a whole number from 0 to 65535, not "http"\n',
    )
  })

  it('says in one line that the data folder is in use', async () => {
    const first = await startServiceProcess(env)
    const { code, said } = await failToStart(env)
    expect(code).toBe(1)
    expect(said).toBe(
      `sauti: the data folder ${env.SAUTI_DATA_DIR} is in use by process ${first.child.pid}\n`,
    )
    await first.end('SIGTERM')
  })

  it('says in one line that the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' ? address!.port : 0
    const { code, said } = await failToStart({ ...env, SAUTI_PORT: String(port) })
    expect({ code, said }).toEqual({
      code: 1,
      said: `sauti: 127.0.0.1 port ${port} is in use by another program\n`,
    })
    other.close()
  })

  it('says in one line that there is no model, which certificate is missing, or that PostgreSQL does not answer', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'sauti-empty-'))
    const noModels = await failToStart({ ...env, SAUTI_MODELS_DIR: empty })
    expect(noModels.said).toMatch(/^sauti: no model can be served: .+\n$/)
    const tls = { SAUTI_TLS_CERT: '/no/cert.pem', SAUTI_TLS_KEY: '/no/key.pem' }
    const noCertificate = await failToStart({ ...env, ...tls })
    expect(noCertificate.said).toBe('sauti: SAUTI_TLS_CERT: cannot read /no/cert.pem (ENOENT)\n')
    const away = {
      SAUTI_DATABASE_URL: 'postgres://sauti:secret@127.0.0.1:1/sauti',
      SAUTI_SECRET: 'x'.repeat(32),
    }
    const noDatabase = await failToStart({ ...env, ...away })
    expect(noDatabase.said).toBe('sauti: the database does not answer: connect ECONNREFUSED 127.0.0.1:1\n')
    expect([noModels.code, noCertificate.code, noDatabase.code]).toEqual([1, 1, 1])
    rmSync(empty, { recursive: true })
  })
})
