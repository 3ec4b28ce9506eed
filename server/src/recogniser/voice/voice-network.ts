// Silero's network, taught further (models/voice): how likely it is that somebody speaks, for every 32 ms of sound. Each stream has a state of its own.

import { Tensor } from 'onnxruntime-node'
import { type Run, Session } from '../engine/onnx-sessions.ts'
import { VOICE_FRAME_SAMPLES } from '../port.ts'

/** Samples of the frame before that the network sees again. */
const CONTEXT_SAMPLES = 64
const STATE_SHAPE = [2, 1, 128]
const STATE_SIZE = 256
const FULL_SCALE = 32_768

/** What the network remembers of one stream. */
export interface VoiceState {
  readonly memory: Float32Array
  readonly context: Float32Array
}

export function newVoiceState(): VoiceState {
  return { memory: new Float32Array(STATE_SIZE), context: new Float32Array(CONTEXT_SAMPLES) }
}

export class VoiceNetwork {
  readonly #session: Session
  readonly #input = new Float32Array(CONTEXT_SAMPLES + VOICE_FRAME_SAMPLES)
  readonly #memory = new Float32Array(STATE_SIZE)
  readonly #nextMemory = new Float32Array(STATE_SIZE)
  readonly #likelihood = new Float32Array(1)
  readonly #run: Run

  constructor(path: string) {
    this.#session = new Session(path, { provider: 'cpu', threads: 1 })
    this.#run = {
      inputs: {
        input: new Tensor('float32', this.#input, [1, this.#input.length]),
        state: new Tensor('float32', this.#memory, STATE_SHAPE),
      },
      outputs: {
        output: new Tensor('float32', this.#likelihood, [1, 1]),
        stateN: new Tensor('float32', this.#nextMemory, STATE_SHAPE),
      },
    }
  }

  /** Takes exactly one frame; changes the state. */
  judge(frame: Int16Array, { memory, context }: VoiceState): number {
    this.#input.set(context)
    for (let i = 0; i < frame.length; i++) this.#input[CONTEXT_SAMPLES + i] = frame[i]! / FULL_SCALE
    this.#memory.set(memory)
    this.#session.run(this.#run)
    memory.set(this.#nextMemory)
    context.set(this.#input.subarray(VOICE_FRAME_SAMPLES))
    return this.#likelihood[0]!
  }
}
