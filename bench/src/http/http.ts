// npm run bench -- http [--seconds S] [--connections N]: requests per second over TLS of the three endpoints, on both database engines,
// beside a bare Fastify route, which shows what TLS and the framework cost. The models list and the bare route take turns, so that a
// busy moment of the machine affects both.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../../scripts/postgres-for-tests.mjs'
import { type Contender, startContender } from './contender.ts'
import { applyLoad, type Figures, type Load } from './load.ts'

const TURNS = 5
const RATES = {
  SAUTI_SESSION_CREATIONS_PER_MINUTE: '1000000',
  SAUTI_USAGE_READS_PER_MINUTE: '1000000',
  SAUTI_MODEL_LISTS_PER_MINUTE: '1000000',
}

export interface HttpRow extends Figures {
  readonly database: string
  readonly request: string
  /** Requests per second, of those of the bare route. */
  readonly ofBare: number
}

export async function run(args: readonly string[]): Promise<readonly HttpRow[]> {
  const { values } = parseArgs({
    args: [...args],
    options: { seconds: { type: 'string', default: '10' }, connections: { type: 'string', default: '16' } },
  })
  const size = { seconds: Number(values.seconds), connections: Number(values.connections) }
  console.log(`${size.connections} connections, ${size.seconds} s each; requests per second, latency in ms`)
  console.log(row('engine', 'request', 'req/s', 'p50', 'p99', 'of bare'))
  const embedded = await measureOn('embedded', {}, size)
  const postgres = await startPostgres()
  const settings = { SAUTI_DATABASE_URL: postgres.url, SAUTI_SECRET: randomUUID() }
  const onPostgres = await measureOn('postgres', settings, size)
  await postgres.stop()
  return [...embedded, ...onPostgres]
}

type Size = Pick<Load, 'seconds' | 'connections'>

async function measureOn(
  engine: string,
  database: Readonly<Record<string, string>>,
  size: Size,
): Promise<HttpRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-bench-'))
  const bareFolder = mkdtempSync(join(tmpdir(), 'sauti-bench-'))
  const ours = await startContender('./our-server.js', { ...RATES, ...database, SAUTI_DATA_DIR: folder })
  const bare = await startContender('./bare-server.js', { SAUTI_DATA_DIR: bareFolder })
  try {
    return await measure(engine, ours, bare, size)
  } finally {
    await Promise.all([ours.stop(), bare.stop()])
    for (const path of [folder, bareFolder]) rmSync(path, { recursive: true, force: true })
  }
}

async function measure(engine: string, ours: Contender, bare: Contender, size: Size): Promise<HttpRow[]> {
  const rows: HttpRow[] = []
  const note = (request: string, figures: Figures) => {
    print(engine, request, figures, measured)
    rows.push({ database: engine, request, ...figures, ofBare: figures.perSecond / measured.perSecond })
  }
  const turn = { ...size, seconds: size.seconds / TURNS }
  const bareTurns: Figures[] = []
  const modelsTurns: Figures[] = []
  // The first turn warms up.
  for (let i = 0; i <= TURNS; i++) {
    const bareFigures = await applyLoad(bare, { ...turn, status: 200, request: () => get('/bare') })
    const modelsFigures = await applyLoad(ours, { ...turn, status: 200, request: () => get('/v1/models') })
    if (i === 0) continue
    bareTurns.push(bareFigures)
    modelsTurns.push(modelsFigures)
  }
  const measured = median(bareTurns)
  note('bare Fastify route', measured)
  note('GET /v1/models', median(modelsTurns))

  const nextKey = cycle(ours.keys)
  ours.order('endSessions')
  await applyLoad(ours, { ...turn, status: 201, request: () => createSession(nextKey()) })
  const sessions = await applyLoad(ours, { ...size, status: 201, request: () => createSession(nextKey()) })
  note('POST /v1/asr/sessions', sessions)
  const usage = await applyLoad(ours, { ...size, status: 200, request: () => get('/v1/usage', nextKey()) })
  note('GET /v1/usage', usage)
  return rows
}

function get(path: string, key?: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${key ? `Authorization: Bearer ${key}\r\n` : ''}\r\n`
}

function createSession(key: string): string {
  const body = JSON.stringify({ model: 'svc-asr-kikuyu-v1', max_audio_seconds: 60 })
  const head = [
    'POST /v1/asr/sessions HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Idempotency-Key: ${randomUUID()}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

function cycle<T>(items: readonly T[]): () => T {
  let next = 0
  return () => items[next++ % items.length]!
}

function median(turns: readonly Figures[]): Figures {
  return turns.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(turns.length / 2)]!
}

function print(engine: string, name: string, { perSecond, p50Ms, p99Ms }: Figures, bare: Figures): void {
  const share = `${((perSecond / bare.perSecond) * 100).toFixed(0)} %`
  console.log(row(engine, name, perSecond.toFixed(0), p50Ms.toFixed(1), p99Ms.toFixed(1), share))
}

function row(engine: string, name: string, ...cells: readonly string[]): string {
  return [engine.padEnd(9), name.padEnd(22), ...cells.map(cell => cell.padStart(8))].join(' ')
}
