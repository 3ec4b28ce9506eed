// What a connection is to its client at a time: first an opening, then a conversation. The connection hands on what happens and need
// not know which it is. Every method is synchronous.

import type { ClientRequest } from '@sauti/protocol/stream'
import type { RecogniserEvent } from '../recogniser/port.ts'

/** Why we end a session that may still hear its last words first. */
export type FinishReason = 'audio_limit_reached' | 'server_restarting'

export interface Stage {
  /** Throws what the client must be told, as request() does. */
  audio(frame: Uint8Array): void
  request(request: ClientRequest): void
  event(event: RecogniserEvent): void
  /** Gives the client what it is owed, then throws the reason. */
  finish(reason: FinishReason): void
  /** Gives back what it holds of the recogniser. */
  close(): void
  /** The client must be read slower. */
  isFull(alreadyPaused: boolean): boolean
  /** The client waits for something of ours. */
  readonly isBusy: boolean
  /** From here on nothing that the client sends matters: it only gets what it is owed. */
  readonly isFinishing: boolean
  /** The reservation is used up. */
  readonly isSpent: boolean
  /** Accepted and not yet taken by the recogniser. */
  readonly queuedSamples: number
}
