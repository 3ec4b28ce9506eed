// npm run load -- --streams N --minutes M [--files F] [--url URL --key KEY [--ca FILE] [--pid PID]]: real clips in real time and files sent
// fast, against a running service or one that it starts itself. Two hours of it are a soak. `npm run bench -- record load` keeps what it found.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MODEL_IDS } from '@sauti/protocol/models'
import { startSauti } from '../end-to-end/sauti.ts'
import { askPatiently, createSession, type ServiceAddress } from '../floods/session.ts'
import { type Call, callAgainAndAgain } from './caller.ts'
import { type Clip, readClips } from './clips.ts'
import { figuresOf, type LoadFigures } from './figures.ts'
import { sendAgainAndAgain } from './files.ts'
import { latencyTable, loadFacts, useTable } from './report.ts'
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
  const { options, given } = readOptions(args)
  const clips = readClips()
  const subject = given ?? (await startOwn())
  try {
    const alone = await hearAlone(subject.service, clips)
    const figures = await applyLoad(subject, clips, alone, options)
    const lines = [...loadFacts(figures), ...latencyTable(figures.latency), ...useTable(figures.use)]
    for (const line of lines) console.log(line)
    return figures
  } finally {
    await subject.stop()
  }
}

function readOptions(args: readonly string[]): { options: Options; given: Subject | undefined } {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      streams: { ...string, default: '10' },
      files: { ...string, default: '1' },
      minutes: { ...string, default: '2' },
      url: string,
      key: string,
      ca: string,
      pid: string,
    },
  })
  const options = {
    streams: Number(values.streams),
    files: Number(values.files),
    minutes: Number(values.minutes),
  }
  if (values.url === undefined) return { options, given: undefined }
  if (values.key === undefined) throw new Error('--url needs --key')
  const service = {
    url: values.url.replace(/\/$/, ''),
    key: values.key,
    ...(values.ca && { ca: readFileSync(values.ca, 'utf8') }),
  }
  const pid = values.pid === undefined ? undefined : Number(values.pid)
  return { options, given: { service, pid, stop: async () => undefined } }
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
async function hearAlone(service: ServiceAddress, clips: readonly Clip[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const model of MODEL_IDS) {
    const stream = new Stream(await askPatiently(() => createSession(service, model)))
    for (const clip of clips.filter(one => one.model === model)) {
      const { events } = await stream.say(clip, false)
      texts.set(clip.name, events.at(-1)!.text)
    }
    await stream.close()
  }
  return texts
}

async function applyLoad(
  { service, pid }: Subject,
  clips: readonly Clip[],
  alone: ReadonlyMap<string, string>,
  options: Options,
): Promise<LoadFigures> {
  const totalMs = options.minutes * 60_000
  const tally = new Tally()
  const call: Call = { service, clips, tally, alone, until: performance.now() + totalMs }
  const stopWatching = pid === undefined ? undefined : watchProcesses(pid, totalMs, () => tally.open)
  await Promise.all([
    ...Array.from({ length: options.streams }, (_, i) => callAgainAndAgain(call, i)),
    ...Array.from({ length: options.files }, (_, i) => sendAgainAndAgain(call, i)),
  ])
  return figuresOf(options, tally, stopWatching?.())
}
