// Speech that the models write down, keys, credentials, phrases and passwords go through a whole service in every way that it takes
// them, rightly and wrongly. Then everything that the process wrote is searched for them, in every form.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '#server/db/open.js'
import type { Database } from '#server/db/port.js'
import { readConfig } from '#server/settings/config.js'
import { findFreePort } from '../../../../scripts/postgres-for-tests.mjs'
import { type ServiceProcess, startServiceProcess } from '../../../../scripts/service-process.mjs'
import { findTraces } from '../../support/canaries.ts'
import {
  createTestDatabase,
  currentEngine,
  failOnLoss,
  type TestDatabase,
} from '../../support/database/database.ts'
import { type Search, writePage } from '../../support/privacy/page.ts'
import { readFolder, readMetrics, readPostgresFiles } from '../../support/privacy/places.ts'
import {
  speakOnDeepgramsWire,
  speakOnOpenAisWire,
  speakOnOurWire,
  transcribeFiles,
} from '../../support/privacy/speech.ts'
import { Subject } from '../../support/privacy/subject.ts'
import { makeMistakes, signIn } from '../../support/privacy/visits.ts'
import { MODELS_DIR } from '../../support/recogniser/samples.ts'
import { createCustomer } from '../../support/service/customer.ts'
import { dumpDatabase } from '../../support/traces.ts'

/** The folder of the page about it: npm run prove:privacy. */
const PROOF = process.env.SAUTI_PROOF

let store: TestDatabase
let service: ServiceProcess
let database: Database
let subject: Subject
let metricsPort: number
/** From the moment it is ready: before that nobody has said anything. */
const log: Buffer[] = []
const temporary = mkdtempSync(join(tmpdir(), 'sauti-canary-'))

beforeAll(async () => {
  store = await createTestDatabase()
  metricsPort = await findFreePort()
  service = await startServiceProcess({
    ...store.env,
    TMPDIR: temporary,
    SAUTI_PORT: '0',
    SAUTI_METRICS_PORT: String(metricsPort),
    SAUTI_LOG_LEVEL: 'trace',
    SAUTI_MODELS_DIR: MODELS_DIR,
    SAUTI_RECOGNISER_WORKERS: '1',
  })
  for (const output of [service.child.stdout!, service.child.stderr!])
    output.on('data', part => log.push(part))
  database = await openDatabase(readConfig({ ...store.env }), { as: 'command', ...failOnLoss })
  subject = new Subject(service, database, await createCustomer(database, new Date(), { concurrency: 20 }))
}, 120_000)

afterAll(async () => {
  await closeDatabase()
  await service?.end('SIGKILL')
  await store?.remove()
  rmSync(temporary, { recursive: true, force: true })
})

let isClosed = false
async function closeDatabase(): Promise<void> {
  if (!isClosed) await database?.close()
  isClosed = true
}

function prove(folder: string, search: Search): void {
  writeFileSync(join(folder, `privacy-${search.database}.md`), writePage(search))
}

it('nothing that is spoken or secret is written anywhere', async () => {
  await speakOnOurWire(subject)
  await transcribeFiles(subject)
  await speakOnDeepgramsWire(subject)
  await speakOnOpenAisWire(subject)
  await signIn(subject)
  await makeMistakes(subject)

  const places: Record<string, Buffer> = {
    metrics: Buffer.from(await readMetrics(metricsPort)),
    database: Buffer.from(await dumpDatabase(database)),
    ...(await readPostgresFiles(database)),
  }
  await closeDatabase()
  expect(await service.end('SIGTERM')).toBe(0)
  places.log = Buffer.concat(log)
  Object.assign(places, readFolder(store.env.SAUTI_DATA_DIR!), readFolder(temporary))

  expect(places.log.length).toBeGreaterThan(1000)
  expect(places.database!.length).toBeGreaterThan(1000)
  expect(Object.keys(subject.canaries).length).toBeGreaterThan(20)
  const { canaries } = subject
  const traces = findTraces(places, canaries)
  if (PROOF) prove(PROOF, { database: currentEngine(), places, canaries, traces })
  expect(traces).toEqual([])
}, 600_000)
