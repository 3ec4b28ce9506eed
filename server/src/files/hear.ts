// The sound of a file into words: cut at pauses, pushed to a background stream of the recogniser no faster than it hears, and put together.

import { readUtterance, Tape } from '@sauti/client/speech'
import { DEFAULT_LOOK_AHEAD, SAMPLE_RATE_HZ, samplesToMs } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import type { ModelId } from '@sauti/protocol/models'
import type { Word } from '@sauti/protocol/stream'
import type { Recogniser, RecogniserEvent, RecogniserStream } from '../recogniser/port.ts'

export interface Utterance {
  readonly startMs: number
  readonly endMs: number
  readonly text: string
  readonly words: readonly Word[]
}

export interface Hearing {
  readonly recogniser: Recogniser
  readonly model: ModelId
  readonly phrases: readonly string[]
  readonly signal: AbortSignal
  readonly longestSamples: number
  /** Called before audio is heard, with all samples so far: waits until they are paid for, or throws. */
  readonly pay: (samples: number) => Promise<void>
}

const LIMITS = { maxSamples: 60 * SAMPLE_RATE_HZ, holdBackSamples: 24 * SAMPLE_RATE_HZ }
/** Enough to keep an engine busy, and little to discard when the file is abandoned. */
const MAX_QUEUED_SAMPLES = 10 * SAMPLE_RATE_HZ

export async function hear(sound: AsyncIterable<Int16Array>, hearing: Hearing): Promise<Utterance[]> {
  const { recogniser, model, phrases, signal } = hearing
  const settings = { lookAhead: DEFAULT_LOOK_AHEAD, phrases }
  const tape = new Tape()
  const reading = record(sound, tape, hearing.longestSamples)
  let stream: RecogniserStream | undefined
  try {
    stream = await recogniser.open(model, settings, signal, 'background')
    const listener = new Listener(stream, signal)
    for (let start = 0, isLast = false; !isLast; ) {
      const utterance = readUtterance(tape, start, LIMITS)
      let piece = await utterance.next()
      for (; !piece.done; piece = await utterance.next()) {
        await hearing.pay(listener.pushed + piece.value.length)
        await listener.push(piece.value)
      }
      const { end } = piece.value
      isLast = piece.value.isLast
      if (end > start) listener.flush(start, end)
      tape.forget(end)
      start = end
    }
    await reading
    return await listener.finish()
  } finally {
    stream?.close()
    tape.fail(new Error('nobody hears the file any more'))
  }
}

async function record(sound: AsyncIterable<Int16Array>, tape: Tape, longestSamples: number): Promise<void> {
  try {
    for await (const samples of sound) {
      if (tape.end + samples.length > longestSamples) throw tooLong(longestSamples)
      await tape.write(samples)
    }
    tape.close()
  } catch (error) {
    tape.fail(error)
  }
}

function tooLong(longestSamples: number): ServiceError {
  const minutes = Math.floor(longestSamples / SAMPLE_RATE_HZ / 60)
  return new ServiceError('audio_too_long', { message: `The file is longer than ${minutes} minutes.` })
}

class Listener {
  readonly #stream: RecogniserStream
  readonly #spans: { readonly start: number; readonly end: number }[] = []
  readonly #utterances: Utterance[] = []
  #failure: unknown
  #wake: (() => void) | undefined
  pushed = 0

  constructor(stream: RecogniserStream, signal: AbortSignal) {
    this.#stream = stream
    stream.listen({ onEvent: event => this.#receive(event), onLost: error => this.#fail(error) })
    signal.addEventListener('abort', () => this.#fail(signal.reason), { once: true })
    if (signal.aborted) this.#fail(signal.reason)
  }

  async push(samples: Int16Array): Promise<void> {
    this.#stream.push(samples)
    this.pushed += samples.length
    await this.#until(() => this.#stream.queuedSamples <= MAX_QUEUED_SAMPLES)
  }

  flush(start: number, end: number): void {
    this.#spans.push({ start, end })
    this.#stream.flush()
  }

  /** All utterances, when all have come. */
  async finish(): Promise<Utterance[]> {
    await this.#until(() => this.#utterances.length === this.#spans.length)
    return this.#utterances
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo() && this.#failure === undefined) {
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
    if (this.#failure !== undefined) throw this.#failure
  }

  #receive(event: RecogniserEvent): void {
    if (event.type === 'final') {
      const { start, end } = this.#spans[this.#utterances.length]!
      const { text, words } = event
      this.#utterances.push({ startMs: samplesToMs(start), endMs: samplesToMs(end), text, words })
    }
    this.#wake?.()
  }

  #fail(reason: unknown): void {
    this.#failure ??= reason
    this.#wake?.()
  }
}
