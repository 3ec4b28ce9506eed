// What the recogniser, the voice detector and the Opus decoders report, as signals for the connection's inbox.

import type { RecogniserListener, VoiceListener } from '../../recogniser/port.ts'
import type { OpusListener } from '../audio/opus-decoders.ts'
import type { Signal } from '../socket/link.ts'

export type EngineListener = RecogniserListener & VoiceListener & OpusListener

export function createEngineListener(put: (signal: Signal) => void): EngineListener {
  return {
    onEvent: event => put({ type: 'recogniser', event }),
    onVoice: likelihoods => put({ type: 'voice', likelihoods }),
    onDecoded: samples => put({ type: 'decoded', samples }),
    onLost: error => put({ type: 'failed', error }),
  }
}
