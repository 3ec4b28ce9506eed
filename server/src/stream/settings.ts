// Every time limit and bound of a stream, named, in one place. Operators set the first group; the others are the service's own.

import type { Config } from '../settings/config.ts'

export type StreamSettings = Pick<
  Config,
  | 'idleTimeoutMs'
  | 'pingIntervalMs'
  | 'sessionTimeFactor'
  | 'sessionTimeExtraMs'
  | 'maxQueuedAudioMs'
  | 'maxUnsentBytes'
  | 'maxHandshakes'
  | 'maxConnectionsPerAddress'
  | 'sessionCreationsPerMinute'
  | 'trustedProxies'
>

// ---- times

/** With the reservation used up and the client silent, the session ends after this instead of the idle time. */
export const SPENT_TIMEOUT_MS = 2_000
/** How long a client may leave waiting events unread before it is a slow consumer. */
export const UNREAD_TIMEOUT_MS = 30_000
/** How long a client that sent too many invalid messages still gets the answers that it is owed. */
export const LAST_ANSWERS_MS = 5_000
/** From our close frame to the end of the TCP connection, whatever the client does. */
export const CLOSE_TIMEOUT_MS = 5_000
/** How long a close waits for its settlement: a database that is unavailable must not hold up a client that leaves. */
export const CLOSE_PATIENCE_MS = 5_000
/** A revoked key or a deactivated account is noticed within 5 s; less than half of that leaves room for a slow query. */
export const REVOCATION_POLL_MS = 2_000
/** After the drain deadline: for the last flush and its final. */
export const DRAIN_FLUSH_MS = 5_000
/** For the last settlements when the process ends; the journal keeps what does not make it. */
export const SETTLE_PATIENCE_MS = 5_000

/** How much a wire with API keys reserves at a time. */
export const METERED_SECONDS = 60
/** Where a wire can reserve more credit, it does when less than this is left. */
export const EXTEND_BELOW_MS = 30_000
/** And with less than this left the client waits for it. More than the audio of the largest message that a wire takes. */
export const WAIT_BELOW_MS = 25_000
/** After a failure to reserve more. */
export const EXTENSION_RETRY_MS = 2_000
/** Where the account had no more. */
export const EXHAUSTED_RETRY_MS = 5_000

/** How often all connections are looked at: the precision of their time-outs. */
export function sweepIntervalMs({ pingIntervalMs, idleTimeoutMs }: StreamSettings): number {
  return Math.max(10, Math.min(1_000, pingIntervalMs / 4, idleTimeoutMs / 4))
}

// ---- what a client may ask for

/** Answers that may be owed at once; a client that asks faster is read more slowly. */
export const MAX_OWED_ANSWERS = 32
/** Text messages kept until ready; a client that sends more is read again after ready. */
export const MAX_EARLY_MESSAGES = 16
export const MAX_INVALID_MESSAGES = 5
export const MAX_EARLY_AUDIO_FRAMES = 10

/** How many messages of a client are read per second, and how many at once after a pause; see message-pace.ts. */
export const MESSAGES_PER_SECOND = 20_000
export const MESSAGE_BURST = 2_000
/** A text message is parsed and answered, and so costs as much as this many frames of audio. */
export const ANSWERED_MESSAGE_COST = 5

// ---- memory

/** Reading goes on when the queue of audio has fallen to this part of its limit: not on and off with every frame. */
export const QUEUE_LOW_PART = 0.8
/** Above this much unsent text events wait in the outbox, where deltas are merged, and the client is no longer read. */
export const UNSENT_HIGH_BYTES = 64 * 1024
/** Pieces of one message: in WebSocket fragments, and in network reads. Each piece costs memory beyond its bytes. */
export const MAX_FRAGMENTS = 256
export const MAX_BUFFERED_CHUNKS = 1024

// ---- failed handshakes of one address

export const MAX_FAILURES_PER_MINUTE = 30
export const MAX_REMEMBERED_ADDRESSES = 10_000
