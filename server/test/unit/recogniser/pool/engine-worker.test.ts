import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { chunkSamples } from '@sauti/protocol/audio'
import { expect, it, onTestFinished } from 'vitest'
import { startEngineProcess } from '#server/recogniser/open-recogniser.js'
import { openModelPackage } from '#server/recogniser/package/model-package.js'
import type { FromEngine, FromStream, ToEngine } from '#server/recogniser/pool/messages.js'
import { KIKUYU } from '../../../support/recogniser/open-tiny.ts'
import { babble } from '../../../support/recogniser/test-audio.ts'
import { TINY_MODEL } from '../../../support/recogniser/tiny-models.ts'

const WORKER = fileURLToPath(import.meta.resolve('#server/recogniser/pool/engine-worker.js'))

it('ends quietly when it is told to before it listens', async () => {
  const engine = fork(WORKER, { stdio: ['ignore', 'inherit', 'pipe', 'ipc'] })
  let complaint = ''
  engine.stderr!.on('data', text => {
    complaint += text
  })
  engine.send({ type: 'ping' })
  engine.send({ type: 'stop' })
  expect(await once(engine, 'exit')).toEqual([0, null])
  expect(complaint).toBe('')
})

const SETTINGS = { lookAhead: 13, phrases: [] } as const
const SAMPLES = chunkSamples(SETTINGS.lookAhead)
const CHUNKS = 6

type Answer = Extract<FromEngine, { type: 'stream' }>
type Final = Extract<FromStream, { type: 'final' }>

it('hears chunks of several streams in one run when they wait together, and each says what it says alone', async () => {
  const speakers = [1, 2, 3]
  const together = await answersTo(speakers)
  expect(mostInOneRun(together)).toBe(3)
  const finals = finalsOf(together)
  expect([...finals.values()].map(({ text }) => text).join('')).not.toBe('')
  for (const speaker of speakers) {
    const alone = await answersTo([speaker])
    expect(mostInOneRun(alone)).toBe(1)
    expect(finals.get(speaker)).toEqual(finalsOf(alone).get(speaker))
  }
})

/** What a real engine answers to speakers who all say their chunks, and then flush, before it has begun. */
async function answersTo(speakers: readonly number[]): Promise<Answer[]> {
  const modelPackage = await openModelPackage(TINY_MODEL)
  const engine = startEngineProcess({
    models: [{ id: KIKUYU, package: modelPackage }],
    sessions: { provider: 'cpu', threads: 1 },
  })
  onTestFinished(() => void engine.kill('SIGKILL'))
  const answers: Answer[] = []
  const done = new Promise<void>(resolve => {
    engine.on('message', (message: FromEngine) => {
      if (message.type !== 'stream') return
      answers.push(message)
      if (answers.length === speakers.length * (CHUNKS + 1)) resolve()
    })
  })
  for (const stream of speakers)
    tell(engine, { type: 'open', stream, model: KIKUYU, settings: SETTINGS, kind: 'live' })
  for (let chunk = 0; chunk < CHUNKS; chunk++)
    for (const stream of speakers)
      tell(engine, { type: 'item', stream, item: { type: 'audio', ...piece(stream, chunk) } })
  for (const stream of speakers) {
    const rest = { samples: babble(3000, stream), start: CHUNKS * SAMPLES, dueMs: 0 }
    tell(engine, { type: 'item', stream, item: { type: 'flush', ...rest } })
  }
  await done
  tell(engine, { type: 'stop' })
  await once(engine, 'exit')
  return answers
}

function tell(engine: ChildProcess, message: ToEngine): void {
  engine.send(message)
}

function piece(speaker: number, chunk: number) {
  const start = chunk * SAMPLES
  return { samples: babble(start + SAMPLES, speaker).slice(start), start, dueMs: 0 }
}

/** What a run took is divided by those who shared it, so it is the same number for all of them. */
function mostInOneRun(answers: readonly Answer[]): number {
  const heard = answers.filter(({ message }) => message.type === 'heard')
  const sizes = new Map<number, number>()
  for (const { workMs } of heard) sizes.set(workMs, (sizes.get(workMs) ?? 0) + 1)
  return Math.max(...sizes.values())
}

function finalsOf(answers: readonly Answer[]): Map<number, Final> {
  const finals = new Map<number, Final>()
  for (const { stream, message } of answers) if (message.type === 'final') finals.set(stream, message)
  return finals
}
