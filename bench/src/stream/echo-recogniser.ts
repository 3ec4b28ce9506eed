// A recogniser that costs next to nothing: every piece of audio is answered by one delta at once. What is measured around it is
// the stream alone.

import { LOOK_AHEADS, samplesToMs } from '@sauti/protocol/audio'
import { MODEL_IDS } from '@sauti/protocol/models'
import { StreamEvents } from '@sauti/server/recogniser/pool/stream-events.js'
import type { Recogniser, RecogniserListener, RecogniserStream } from '@sauti/server/recogniser/port.js'

export const ECHO_TEXT = 'wi mwega'

export function createEchoRecogniser(): Recogniser {
  return {
    models: MODEL_IDS,
    capacity: Number.MAX_SAFE_INTEGER,
    heldBack: 0,
    openStreams: 0,
    lookAheads: () => LOOK_AHEADS,
    open: async () => new EchoStream(),
    close: async () => undefined,
  }
}

class EchoStream implements RecogniserStream {
  readonly queuedSamples = 0
  readonly #events = new StreamEvents()
  #heard = 0

  listen(listener: RecogniserListener): void {
    this.#events.listen(listener)
  }

  push(samples: Int16Array): void {
    this.#heard += samples.length
    this.#events.emit({
      type: 'delta',
      text: ECHO_TEXT,
      append: '',
      words: [],
      audioMs: samplesToMs(this.#heard),
    })
  }

  flush(): void {
    this.#events.emit({ type: 'final', text: ECHO_TEXT, words: [], audioMs: samplesToMs(this.#heard) })
  }

  reset(): void {
    this.#events.emit({ type: 'reset' })
  }

  configure(): void {
    this.#events.emit({ type: 'configured' })
  }

  close(): void {
    this.#events.end()
  }
}
