// A process that listens for voices in the sound of all streams that ask for it, one frame after the other. It ends with the service.

import { VOICE_FRAME_SAMPLES } from '../port.ts'
import type { FromVoiceWorker, ToVoiceWorker } from './voice-messages.ts'
import { newVoiceState, VoiceNetwork, type VoiceState } from './voice-network.ts'

let network: VoiceNetwork | undefined
const states = new Map<number, VoiceState>()

process.on('message', receive)
process.on('disconnect', () => process.exit())
// A signal to the whole group is for the service, which ends this process itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)

function receive(message: ToVoiceWorker): void {
  switch (message.type) {
    case 'start':
      network = new VoiceNetwork(message.path)
      break
    case 'frames':
      // An answer that nobody reads any more means that the service has gone.
      process.send?.(
        judge(message.stream, message.samples),
        undefined,
        undefined,
        error => error && process.exit(),
      )
      break
    case 'close':
      states.delete(message.stream)
      break
  }
}

function judge(stream: number, samples: Int16Array): FromVoiceWorker {
  const state = states.get(stream) ?? newVoiceState()
  states.set(stream, state)
  const likelihoods: number[] = []
  for (let start = 0; start < samples.length; start += VOICE_FRAME_SAMPLES) {
    likelihoods.push(network!.judge(samples.subarray(start, start + VOICE_FRAME_SAMPLES), state))
  }
  return { stream, likelihoods }
}
