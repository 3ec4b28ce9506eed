// An engine: a thread that holds the models warm and does the chunks of its streams one after the other. A run of the ONNX runtime
// blocks its thread, so the service's thread never runs one; messages are read between the runs.

import { parentPort, workerData } from 'node:worker_threads'
import type { ModelId } from '@sauti/protocol/models'
import type { StepCosts } from './capacity.ts'
import type { EngineData, FromEngine, FromStream, ToEngine } from './messages.ts'
import { loadModel, type Model } from './model.ts'
import { nextStream } from './schedule.ts'
import { Sessions } from './sessions.ts'
import { StreamDecoder } from './stream-decoder.ts'
import { warmUp } from './warm-up.ts'

const port = parentPort!
const data = workerData as EngineData
const sessions = new Sessions(data.sessions)
const models = new Map<ModelId, Model>()
const streams = new Map<number, StreamDecoder>()
let working: Promise<void> | undefined

const costs: Partial<Record<ModelId, StepCosts>> = {}
for (const { id, package: modelPackage } of data.models) {
  const model = await loadModel(modelPackage, sessions)
  models.set(id, model)
  costs[id] = await warmUp(model, modelPackage.manifest.look_aheads)
}
port.on('message', receive)
say({ type: 'warm', costs })

function say(message: FromEngine): void {
  port.postMessage(message)
}

function receive(message: ToEngine): void {
  switch (message.type) {
    case 'open':
      streams.set(
        message.stream,
        new StreamDecoder(message.stream, models.get(message.model)!, message.settings),
      )
      break
    case 'item':
      streams.get(message.stream)?.put(message.item)
      working ??= work()
      break
    case 'close':
      closeStream(message.stream)
      break
    case 'ping':
      say({ type: 'pong' })
      break
    case 'stop':
      void stop()
      break
  }
}

let current: StreamDecoder | undefined

/** Does what waits, the most urgent first, until nothing waits. */
async function work(): Promise<void> {
  for (;;) {
    current = nextStream(streams.values())
    if (current === undefined) break
    const { id } = current
    const answer = await doNext(current)
    if (!streams.has(id)) current.dispose()
    else if (answer !== undefined) say({ type: 'stream', stream: id, message: answer })
    if (answer?.type === 'broken') closeStream(id)
  }
  working = undefined
}

async function doNext(stream: StreamDecoder): Promise<FromStream | undefined> {
  try {
    return await stream.doNext()
  } catch (error) {
    return { type: 'broken', problem: error instanceof Error ? error.message : String(error) }
  }
}

/** The one whose step is under way is disposed of when the step is over. */
function closeStream(id: number): void {
  const stream = streams.get(id)
  streams.delete(id)
  if (stream !== undefined && stream !== current) stream.dispose()
}

async function stop(): Promise<void> {
  streams.clear()
  await working
  await sessions.release()
  port.close()
}
