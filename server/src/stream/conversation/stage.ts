// What a connection works with: first an opening, then a conversation. The connection hands on what happens and need not know which it
// is. Every method is synchronous.

import type { ServiceError } from '@sauti/protocol/errors'
import type { RecogniserEvent } from '../../recogniser/port.ts'
import type { FinishReason } from '../connection/connection-state.ts'
import type { StreamRequest } from '../dialect.ts'

/** What is done or answered in its turn. */
export type StageRequest =
  | Exclude<StreamRequest, { type: 'notice' }>
  /** A message that is not valid. Clients match refusals to requests by their order. */
  | { readonly type: 'invalid'; readonly error: ServiceError }

/** What need not wait any more. */
export type DueRequest =
  | StageRequest
  /** Sound of the wire that was decoded from a packet; undefined where the packet could not be decoded. */
  | { readonly type: 'sound'; readonly samples: Int16Array<ArrayBuffer> | undefined }

export interface Stage {
  /** The reason to finish, if this was the last that it takes. Throws the error for the client. */
  request(request: StageRequest): FinishReason | undefined
  event(event: RecogniserEvent): void
  /** Answers of voice detection. Gives the requests that waited for them. */
  voice(likelihoods: readonly number[]): readonly DueRequest[]
  /** The answer to the oldest packet that is being decoded. Gives the requests that are due with it. */
  decoded(samples: Int16Array<ArrayBuffer> | undefined): readonly DueRequest[]
  /** Like request(), for what decoded() and voice() gave. */
  perform(request: DueRequest): FinishReason | undefined
  /** Sends a refusal after the answers to what was asked before it. */
  refuse(send: () => void): void
  /** Ends the last utterance; nothing more is taken. */
  finish(reason: FinishReason): void
  /** Gives back what it holds of the recogniser. */
  close(): void
  /** The client must be read more slowly. */
  isFull(alreadyPaused: boolean): boolean
  /** Whether the client may still ask for something: not after it has asked to finish. */
  readonly takesMore: boolean
  /** The client waits for an answer. */
  readonly isBusy: boolean
  /** Accepted and not yet taken by the recogniser. */
  readonly queuedSamples: number
}
