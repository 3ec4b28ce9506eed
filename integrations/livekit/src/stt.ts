// The STT of an agent session: makes streams, and knows the key terms that all of them favour.

import { type APIConnectOptions, type AudioBuffer, stt } from '@livekit/agents'
import { type ContinuousStreamOptions, openContinuousStream, SautiClient } from '@sauti/client'
import { createTransport } from '@sauti/client/node'
import { toFinal, toLiveKitError } from './events.ts'
import { SpeechStream } from './stream.ts'

export interface STTOptions {
  readonly model: string
  /** Where the service is; SAUTI_URL where it is not given. */
  readonly baseUrl?: string
  /** SAUTI_API_KEY where it is not given. */
  readonly apiKey?: string
  /** Certificate authority to trust, PEM; SAUTI_CA where it is not given. */
  readonly ca?: string
  /** Names and phrases that are likely to be said. */
  readonly keyterms?: readonly string[]
  /** How much silence after words ends an utterance, 200 to 5,000 ms; 500 where it is not given. The service listens for it. */
  readonly silenceMs?: number
  /** Seconds reserved per session; the stream rolls over by itself. */
  readonly sessionSeconds?: number
}

const DEFAULT_URL = 'https://localhost:8443'
const SILENCE_MS = 500
/** The service's limits for phrases. */
const MAX_KEYTERMS = 100
const SAMPLE_RATE_HZ = 16_000

export class STT extends stt.STT {
  label = 'sauti.STT'
  readonly #options: STTOptions
  readonly #client: SautiClient
  readonly #connect: NonNullable<ContinuousStreamOptions['connect']>
  #keyterms: readonly string[]
  #sessionKeyterms: readonly string[] = []

  constructor(options: STTOptions) {
    super({ streaming: true, interimResults: true, alignedTranscript: 'word', keyterms: true })
    const transport = createTransport(options.ca)
    const { SAUTI_URL, SAUTI_API_KEY } = process.env
    const apiKey = options.apiKey ?? SAUTI_API_KEY
    this.#options = options
    this.#keyterms = options.keyterms ?? []
    this.#connect = transport.connect
    this.#client = new SautiClient({
      baseUrl: options.baseUrl ?? SAUTI_URL ?? DEFAULT_URL,
      ...(apiKey ? { apiKey } : {}),
      ...(transport.fetch ? { fetch: transport.fetch } : {}),
    })
  }

  override get model(): string {
    return this.#options.model
  }

  override get provider(): string {
    return 'Sauti'
  }

  /** Holds for streams that are made from now on. */
  updateOptions({ keyterms }: Pick<STTOptions, 'keyterms'>): void {
    if (keyterms) this.#keyterms = keyterms
  }

  override _updateSessionKeyterms(keyterms: string[]): void {
    this.#sessionKeyterms = keyterms
  }

  override stream(options?: { connOptions?: APIConnectOptions }): SpeechStream {
    return new SpeechStream(this, () => this.streamOptions(), options?.connOptions)
  }

  /** What a continuous stream of this STT is made of. */
  streamOptions(): ContinuousStreamOptions {
    const phrases = [...new Set([...this.#keyterms, ...this.#sessionKeyterms])].slice(0, MAX_KEYTERMS)
    const { model, silenceMs = SILENCE_MS, sessionSeconds } = this.#options
    return {
      model,
      client: this.#client,
      connect: this.#connect,
      settings: { endpointing: { silenceMs }, ...(phrases.length > 0 ? { phrases } : {}) },
      ...(sessionSeconds === undefined ? {} : { sessionSeconds }),
    }
  }

  protected override async _recognize(buffer: AudioBuffer, signal?: AbortSignal): Promise<stt.SpeechEvent> {
    const stream = openContinuousStream({
      ...this.streamOptions(),
      isRecording: true,
      ...(signal ? { signal } : {}),
    })
    const finals: Parameters<typeof toFinal>[0][] = []
    stream.on('final', final => finals.push(final))
    try {
      for (const frame of [buffer].flat()) await stream.send(toMono16k(frame))
      await stream.finish()
    } catch (error) {
      throw toLiveKitError(error)
    }
    const words = finals.flatMap(final => final.words)
    const text = finals.flatMap(final => (final.text === '' ? [] : [final.text])).join(' ')
    const end_ms = finals.at(-1)?.end_ms ?? 0
    return toFinal({ type: 'final', text, words, start_ms: 0, end_ms }, this.model)
  }
}

/** A whole buffer is given as it is; streams are resampled by LiveKit itself. */
function toMono16k({
  data,
  sampleRate,
  channels,
}: {
  data: Int16Array
  sampleRate: number
  channels: number
}) {
  if (sampleRate === SAMPLE_RATE_HZ && channels === 1) return data
  throw new Error(
    `the buffer must be mono at ${SAMPLE_RATE_HZ} Hz, not ${channels} channels at ${sampleRate} Hz`,
  )
}
