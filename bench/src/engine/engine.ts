// npm run bench -- engine [--models DIR] [--seconds S] [--only costs|texts|pool]: what a chunk costs and says beside the bare ONNX
// Runtime loop and sherpa-onnx, and how the pool answers at 80 % load.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chunkSamples, LOOK_AHEADS, type LookAhead } from '@sauti/protocol/audio'
import { MODELS } from '../measure/bundled-models.ts'
import { round } from '../measure/numbers.ts'
import { compareTexts } from './parity.ts'
import { memoryAStream, openPool, speakAtOnce } from './pool-load.ts'
import { startContender } from './round.ts'

/** CPU-ms per chunk of each contender. */
export interface EngineCost {
  readonly lookAhead: number
  readonly chunkMs: number
  readonly bareMs: number
  readonly greedyMs: number
  readonly languageMs: number
  /** It has one look-ahead. */
  readonly sherpaMs: number | null
}

export interface EnginePool {
  readonly lookAhead: number
  readonly streams: number
  readonly engineShare: number
  readonly othersShare: number
  readonly finalP50Ms: number
  readonly finalP99Ms: number
  readonly deltaP50Ms: number
  readonly deltaP99Ms: number
}

export interface EngineFigures {
  readonly costs: readonly EngineCost[]
  readonly pool: readonly EnginePool[]
}

const MODEL = 'svc-asr-kikuyu-v1'
const ROUNDS = 7
/** Audio of one round. */
const ROUND_MS = 22_400
export async function run(args: readonly string[]): Promise<EngineFigures> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      models: { type: 'string', default: MODELS },
      seconds: { type: 'string', default: '20' },
      only: { type: 'string', multiple: true, default: ['costs', 'texts', 'pool'] },
    },
  })
  const costs = values.only.includes('costs') ? await compareCosts(join(values.models, MODEL)) : []
  if (values.only.includes('texts')) await compareTexts(values.models)
  const durationMs = Number(values.seconds) * 1000
  const pool = values.only.includes('pool') ? await measurePool(values.models, durationMs) : []
  return { costs, pool }
}

type Contenders = Readonly<Record<string, ReturnType<typeof startContender>>>

/** CPU-ms per chunk, the contenders taking turns. */
async function compareCosts(folder: string): Promise<EngineCost[]> {
  const costs: EngineCost[] = []
  const bare = startContender('./bare-loop.js', folder)
  const ours = startContender('./our-loop.js', folder)
  const language = startContender('./our-loop.js', folder, 'language')
  const sherpa = startContender('./sherpa-loop.js', folder)
  console.log('CPU-ms per chunk (median of rounds in turn)')
  console.log(
    'look-ahead  bare ORT  ours  ours/bare throughput  sherpa-onnx  with language model  streams per core',
  )
  for (const lookAhead of LOOK_AHEADS) {
    const contenders =
      lookAhead === LOOK_AHEADS[0] ? { bare, ours, sherpa, language } : { bare, ours, language }
    const ms = await takeTurns(contenders, lookAhead)
    const throughput = `${((ms.bare! / ms.ours!) * 100).toFixed(0)} %`
    const streams = chunkSamples(lookAhead) / 16 / ms.language!
    const cells = [
      lookAhead,
      ms.bare!.toFixed(2),
      ms.ours!.toFixed(2),
      throughput,
      ms.sherpa?.toFixed(2) ?? '-',
      ms.language!.toFixed(2),
    ]
    console.log([...cells, streams.toFixed(1)].join('\t'))
    costs.push({
      lookAhead,
      chunkMs: chunkSamples(lookAhead) / 16,
      bareMs: round(ms.bare!, 2),
      greedyMs: round(ms.ours!, 2),
      languageMs: round(ms.language!, 2),
      sherpaMs: ms.sherpa === undefined ? null : round(ms.sherpa, 2),
    })
  }
  for (const contender of [bare, ours, sherpa, language]) contender.stop()
  return costs
}

async function takeTurns(contenders: Contenders, lookAhead: LookAhead): Promise<Record<string, number>> {
  const chunks = Math.ceil((ROUND_MS * 16) / chunkSamples(lookAhead))
  const times = new Map(Object.keys(contenders).map(name => [name, [] as number[]]))
  for (let i = 0; i <= ROUNDS; i++) {
    for (const [name, contender] of Object.entries(contenders)) {
      const { cpuMs, characters } = await contender.round({ lookAhead, chunks })
      if (characters === 0) throw new Error(`${name} heard nothing`)
      // The first round warms up.
      if (i > 0) times.get(name)!.push(cpuMs / chunks)
    }
  }
  return Object.fromEntries([...times].map(([name, values]) => [name, median(values)]))
}

async function measurePool(modelsDir: string, durationMs: number): Promise<EnginePool[]> {
  const rows: EnginePool[] = []
  const pool = await openPool(modelsDir)
  const megabytes = (await memoryAStream(pool, 20)) / 2 ** 20
  console.log(`memory per stream: ${megabytes.toFixed(2)} MB`)
  console.log('one engine with all the streams that it admits (80 % load), in real time')
  console.log(
    '  and how busy other programs kept the machine meanwhile: where they did, the milliseconds say little',
  )
  console.log('look-ahead  streams  CPU  strangers  flush to final p50  p99  first delta p50  p99  (ms)')
  for (const lookAhead of LOOK_AHEADS) {
    const load = await speakAtOnce(pool, lookAhead, durationMs)
    const shares = [load.engineShare, load.othersShare].map(share => `${(share * 100).toFixed(0)} %`)
    const [finalP50Ms, finalP99Ms] = quantiles(load.finalMs)
    const [deltaP50Ms, deltaP99Ms] = quantiles(load.deltaMs)
    const figures = { finalP50Ms, finalP99Ms, deltaP50Ms, deltaP99Ms }
    console.log(
      [lookAhead, load.streams, ...shares, ...Object.values(figures).map(ms => ms.toFixed(0))].join('\t'),
    )
    const { streams, engineShare, othersShare } = load
    rows.push({ lookAhead, streams, engineShare, othersShare, ...figures })
  }
  await pool.recogniser.close()
  return rows
}

function quantiles(values: readonly number[]): [number, number] {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  return [at(0.5), at(0.99)]
}

function median(values: readonly number[]): number {
  return quantiles(values)[0]
}
