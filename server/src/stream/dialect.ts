// How more than one protocol is served. A wire is a protocol at an address: it admits upgrade requests. A dialect is that protocol on one
// connection: it turns frames into requests and events into text. Connection, gate, meter and settlement know nothing of either.
//
// To add a wire:
// 1. Make a folder `wires/NAME` with a `Wire` and a `Dialect`. `wires/sauti` is our own protocol and the example.
// 2. `Wire.admit` reads the upgrade request: address, query, subprotocols, key. It may ask the database. What it throws is answered over
//    HTTP, before there is a WebSocket. It returns the dialect of the connection and its credit.
// 3. `Credit.open` gives the session that pays. A wire with API keys orders it with `openMeteredSession` (metered-credit.ts), which
//    reserves a minute at a time; our own wire redeems a one-use credential instead. Where only the client's first messages name the
//    model, `open` waits for them (wires/openai).
// 4. `Dialect.parse` gives the requests of a frame, none for a keep-alive. Settings of the address (phrases, audio format) are
//    `firstRequests`. Audio in a text frame is an `audio` request like any other. What needs no recogniser is answered by a `reply`, which
//    is sent in its turn; what answers nothing is a `notice`, which is sent at once.
// 5. `Dialect.encode` gives the text frames of an event, none where the protocol has no such event. It is called once for each event, in
//    the order in which they are sent, so it may count and remember.
// 6. Name the wire in `wires/all.ts`.

import type { IncomingMessage } from 'node:http'
import type { CloseErrorCode, OrderErrorCode, ServiceError } from '@sauti/protocol/errors'
import type { ClientRequest, DeltaEvent, ErrorEvent, ServerEvent, Word } from '@sauti/protocol/stream'
import type { OpenSession } from '../sessions/redeem.ts'

/** What a client may ask of a connection, whatever its protocol. */
export type StreamRequest =
  | ClientRequest
  | { readonly type: 'audio'; readonly bytes: Uint8Array }
  /** The client has nothing more to say: it gets what it is owed, `finished`, and a normal close. */
  | { readonly type: 'finish' }
  | Reply
  /** What the dialect tells by itself without being asked; it is sent after the events before it. */
  | { readonly type: 'notice'; readonly text: string }

/** An answer that the dialect gives by itself, after the answers to what was asked before. */
export interface Reply {
  readonly type: 'reply'
  /** Called when it is sent, because the answers before it may change what it says. Changes nothing itself. */
  readonly write: () => string
}

/** What a connection tells a client, whatever its protocol. */
export type StreamEvent = ConversationEvent | RefusedEvent | FinishedEvent

/** Events about audio and settings. */
export type ConversationEvent = Exclude<ServerEvent, DeltaEvent> | InterimEvent

/** A delta with its words where the dialect asks for them. The last one may still grow. */
export interface InterimEvent extends DeltaEvent {
  readonly words: readonly Word[]
}

/** The last event of a connection whose session was ordered after the handshake, and refused. */
export interface RefusedEvent extends Omit<ErrorEvent, 'code'> {
  readonly code: OrderErrorCode
}

/** The last event of a connection that the client finished. */
export interface FinishedEvent {
  readonly type: 'finished'
  readonly session_id: string
  readonly audio_ms: number
  readonly billable_ms: number
}

export interface CloseFrame {
  readonly code: number
  readonly reason: string
}

/** A protocol on one connection. Everything is synchronous. */
export interface Dialect {
  /** Longer text frames end the connection. */
  readonly maxTextBytes: number
  /** Whether audio may come before `ready`. It then waits for the recogniser; otherwise it is refused. */
  readonly takesEarlyAudio: boolean
  /** Whether its interim events have words. */
  readonly interimWords: boolean
  /** Sent as soon as the connection is open. */
  readonly greeting: readonly string[]
  /** Asked for as soon as the recogniser is ready, before anything that the client sent. */
  readonly firstRequests: readonly ClientRequest[]
  /** For a frame that is not valid it throws a warning of the error table, which is told in its turn. */
  parse(frame: Buffer, isBinary: boolean): readonly StreamRequest[]
  encode(event: StreamEvent): readonly string[]
  /** How the connection is closed by us: with an error, or `undefined` after `finished`. */
  closeFrame(code: CloseErrorCode | OrderErrorCode | undefined): CloseFrame
}

/** Where the audio time of a connection comes from. */
export interface Credit {
  /** Opens the session that pays, once. Rejects with what the client is told before the close. */
  open(): Promise<OpenSession>
  /**
   * The client left before `open` was done, perhaps before its handshake was complete: nothing waits for it any more, and what was
   * reserved for it is given back.
   */
  readonly giveUp?: () => void
  /** More time for the open session: the milliseconds gained, 0 when there are none. Without it the reservation is all there is. */
  readonly extend?: (session: OpenSession) => Promise<number>
}

/** What an upgrade request became. */
export interface Admission {
  /** The subprotocol that the answer selects; none when the client offered none. */
  readonly subprotocol: string | undefined
  readonly dialect: Dialect
  readonly credit: Credit
}

/** A protocol at an address. */
export interface Wire {
  readonly path: string
  /** Larger messages are refused before they are assembled. */
  readonly maxMessageBytes: number
  /**
   * Takes a well-formed WebSocket handshake. `client` is who is counted as one client, for limits. Throws or rejects with what HTTP
   * should answer.
   */
  admit(request: IncomingMessage, client: string): Admission | Promise<Admission>
  /** The body of an HTTP refusal, where it is not ours (spec 2.6). */
  readonly refusalBody?: (error: ServiceError, requestId: string) => object
}
