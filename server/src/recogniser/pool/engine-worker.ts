// An engine: a process that holds the models warm and does the chunks of its streams one after the other. It hears from the service
// between the runs of the ONNX runtime, and ends with it.

import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { ModelId } from '@sauti/protocol/models'
import { loadModel, type Model } from '../engine/model.ts'
import { Sessions } from '../engine/onnx-sessions.ts'
import type { StepCosts } from './capacity.ts'
import { cpuMs, monotonicMs } from './clock.ts'
import type { EngineData, FromEngine, FromStream, ToEngine } from './messages.ts'
import { nextStreams } from './schedule.ts'
import { StepMeter } from './step.ts'
import { StreamDecoder } from './stream-decoder.ts'
import { warmUp } from './warm-up.ts'

const models = new Map<ModelId, { readonly model: Model; readonly costs: StepCosts }>()
const streams = new Map<number, StreamDecoder>()
/** What work costs, whatever else the machine does at the time. */
let workClock = cpuMs
const meter = new StepMeter({ now: monotonicMs, work: () => workClock() })
let working = false

process.on('message', receive)
process.on('disconnect', () => process.exit())
// A signal to the whole group is for the service, which lets its streams end first and then ends its engines.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)

function say(message: FromEngine): void {
  process.send?.(message)
}

function receive(message: ToEngine): void {
  switch (message.type) {
    case 'start':
      start(message.data)
      break
    case 'open':
      openStream(message)
      break
    case 'item':
      streams.get(message.stream)?.put(message.item)
      if (!working) void work()
      break
    case 'close':
      closeStream(message.stream)
      break
    case 'ping':
      say({ type: 'pong' })
      break
    case 'stop':
      // Not at once: what came before anybody listened is handed over in one go, and Node breaks where the channel ends meanwhile.
      setImmediate(() => process.disconnect())
      break
  }
}

function start(data: EngineData): void {
  try {
    say({ type: 'warm', costs: loadModels(data) })
  } catch (error) {
    say({ type: 'broken', problem: describe(error) })
  }
}

function loadModels(data: EngineData): Partial<Record<ModelId, StepCosts>> {
  const sessions = new Sessions(data.sessions)
  // On a CPU a step costs this process's own CPU time; elsewhere the CPU only waits.
  if (data.sessions.provider !== 'cpu') workClock = monotonicMs
  // Two languages of one network cost the same; an engine that replaces a lost one is waited for.
  const measured = new Map<string, StepCosts>()
  const costs: Partial<Record<ModelId, StepCosts>> = {}
  for (const { id, package: modelPackage } of data.models) {
    const model = loadModel(modelPackage, sessions)
    const network = modelPackage.paths.encoder
    const cost = measured.get(network) ?? warmUp(model, modelPackage.manifest.look_aheads, workClock)
    measured.set(network, cost)
    models.set(id, { model, costs: cost })
    costs[id] = cost
  }
  return costs
}

function openStream({ stream, model: id, settings, kind }: Extract<ToEngine, { type: 'open' }>): void {
  const { model, costs } = models.get(id)!
  streams.set(stream, new StreamDecoder(stream, model, costs, settings, kind))
}

/** Does what waits, the most urgent first, until nothing waits. Messages are read between the items. */
async function work(): Promise<void> {
  working = true
  for (let next = nextTurn(); next.length > 0; next = nextTurn()) {
    let answers: readonly FromStream[] = []
    const done = meter.measure(next, streams.size, () => {
      answers = doNext(next)
    })
    for (const [i, { id }] of next.entries()) {
      say({ type: 'stream', stream: id, message: answers[i]!, ...done[i]! })
      if (answers[i]!.type === 'broken') closeStream(id)
    }
    await turnOfTheLoop()
  }
  working = false
}

function nextTurn(): readonly StreamDecoder[] {
  return nextStreams([...streams.values()])
}

function doNext(next: readonly StreamDecoder[]): readonly FromStream[] {
  try {
    return StreamDecoder.doNext(next)
  } catch (error) {
    return next.map(() => ({ type: 'broken', problem: describe(error) }))
  }
}

function closeStream(id: number): void {
  streams.get(id)?.dispose()
  streams.delete(id)
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
