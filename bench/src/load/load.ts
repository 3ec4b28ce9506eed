// npm run load -- --streams N --minutes M [--files F] [--compare] [--url URL --key KEY [--ca FILE] [--pid PID]]: real clips in real time and
// files sent fast, against a running service or one that it starts itself. Two hours of it are a soak. `npm run bench -- record load` keeps what
// it found. --compare lets the same callers speak to a plain server with sherpa-onnx afterwards, for as long.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MODEL_IDS } from '@sauti/protocol/models'
import { startSherpa } from '../end-to-end/contender.ts'
import { startSauti } from '../end-to-end/sauti.ts'
import { askPatiently, createSession, type ServiceAddress } from '../floods/session.ts'
import { MODELS } from '../measure/bundled-models.ts'
import { type Call, callAgainAndAgain, SESSION_SECONDS } from './caller.ts'
import { type Clip, readClips } from './clips.ts'
import { figuresOf, type LoadFigures } from './figures.ts'
import { sendAgainAndAgain } from './files.ts'
import type { Utterance } from './latency.ts'
import { comparisonTable, latencyTable, loadFacts, useTable } from './report.ts'
import { Stream } from './stream.ts'
import { Tally } from './tally.ts'
import { watchProcesses } from './watch.ts'

interface Options {
  readonly streams: number
  readonly files: number
  readonly minutes: number
}

interface Subject {
  readonly service: ServiceAddress
  /** Of the service, where it runs on this machine. */
  readonly pid: number | undefined
  stop(): Promise<void>
}

export async function run(args: readonly string[]): Promise<LoadFigures> {
  const { options, given, compares } = readOptions(args)
  const clips = readClips()
  const subject = given ?? (await startOwn())
  try {
    const alone = await hearAlone(subject.service, clips)
    const figures = await applyLoad(subject, clips, alone, options)
    const lines = [...loadFacts(figures), ...latencyTable(figures.latency), ...useTable(figures.use)]
    for (const line of lines) console.log(line)
    if (compares) await compare(figures, clips, alone, options)
    return figures
  } finally {
    await subject.stop()
  }
}

/** The service goes on running and has nothing to do, as the peer had before. */
async function compare(
  ours: LoadFigures,
  clips: readonly Clip[],
  alone: ReadonlyMap<string, Utterance>,
  options: Options,
): Promise<void> {
  const peer = await startSherpa(undefined, MODELS)
  const tally = new Tally()
  try {
    await callAll({ open: peer.address, clips, tally, alone, until: endOf(options) }, options.streams)
  } finally {
    await peer.stop()
  }
  const theirs = figuresOf({ ...options, files: 0 }, tally, undefined)
  for (const line of comparisonTable(ours, theirs)) console.log(line)
}

function readOptions(args: readonly string[]): {
  options: Options
  given: Subject | undefined
  compares: boolean
} {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      streams: { ...string, default: '10' },
      files: string,
      minutes: { ...string, default: '2' },
      url: string,
      key: string,
      ca: string,
      pid: string,
      compare: { type: 'boolean', default: false },
    },
  })
  const compares = values.compare
  const options = {
    streams: Number(values.streams),
    // The peer takes none.
    files: Number(values.files ?? (compares ? 0 : 1)),
    minutes: Number(values.minutes),
  }
  if (values.url === undefined) return { options, given: undefined, compares }
  if (values.key === undefined) throw new Error('--url needs --key')
  const service = {
    url: values.url.replace(/\/$/, ''),
    key: values.key,
    ...(values.ca && { ca: readFileSync(values.ca, 'utf8') }),
  }
  const pid = values.pid === undefined ? undefined : Number(values.pid)
  return { options, given: { service, pid, stop: async () => undefined }, compares }
}

async function startOwn(): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-load-'))
  const { service, pid, stop } = await startSauti(undefined, folder)
  return {
    service,
    pid,
    async stop() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What the service writes for each clip when it has nothing else to do. */
async function hearAlone(
  service: ServiceAddress,
  clips: readonly Clip[],
): Promise<ReadonlyMap<string, Utterance>> {
  const heard = new Map<string, Utterance>()
  for (const model of MODEL_IDS) {
    const stream = new Stream(await askPatiently(() => createSession(service, model)))
    for (const clip of clips.filter(one => one.model === model)) {
      heard.set(clip.name, await stream.say(clip, false))
    }
    await stream.close()
  }
  return heard
}

async function applyLoad(
  { service, pid }: Subject,
  clips: readonly Clip[],
  alone: ReadonlyMap<string, Utterance>,
  options: Options,
): Promise<LoadFigures> {
  const tally = new Tally()
  const open = (model: string) => createSession(service, model, SESSION_SECONDS)
  const call: Call = { open, clips, tally, alone, until: endOf(options) }
  const stopWatching =
    pid === undefined ? undefined : watchProcesses(pid, options.minutes * 60_000, () => tally.open)
  await Promise.all([
    callAll(call, options.streams),
    ...Array.from({ length: options.files }, (_, i) => sendAgainAndAgain(service, call, i)),
  ])
  return figuresOf(options, tally, stopWatching?.())
}

async function callAll(call: Call, streams: number): Promise<void> {
  await Promise.all(Array.from({ length: streams }, (_, i) => callAgainAndAgain(call, i)))
}

function endOf({ minutes }: Options): number {
  return performance.now() + minutes * 60_000
}
