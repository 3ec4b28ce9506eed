// Whose item is next: the one with the earliest deadline. Audio is due at the moment at which its last sample would have been spoken, had
// it arrived in real time; its deadline is that moment plus how long the client may wait for the answer. So live speech, due now, goes
// before files sent fast, which are due later; a client that waits for an answer goes before one in the middle of a sentence; and nobody
// starves, because a deadline stands still while those of newer items move on.
//
// Arrival times alone would let a stream have as many urgent items as it likes: a flush after every sample is due at once, and each costs
// a run of the encoder. So a stream is also charged for what it uses. Beyond its fair part of the engine its items are due later.

/**
 * How long each may wait. The first two are what a client is promised: the first words of an utterance, and the answer to a flush. A
 * sentence that is already on the screen can lag a little behind, as long as it keeps up. Resets and settings wait like a flush.
 */
export const PATIENCE_MS = { beginning: 150, flush: 350, running: 1000, control: 350 } as const

/** Work that was done while the engine had nothing else to do is charged as well; it must not count against a stream for long. */
const LONGEST_DEBT_MS = 10_000

/** Background streams are due after any live stream could be: they get the time that live speech leaves. */
export const BACKGROUND_DELAY_MS = 365 * 86_400_000

/** Gives one stream's audio its due times. */
export class Pace {
  #endMs = Number.NEGATIVE_INFINITY

  /** Audio of `durationMs` came in at `nowMs`; a pause before it earns no credit. Returns when its end is due. */
  take(nowMs: number, durationMs: number): number {
    this.#endMs = Math.max(this.#endMs, nowMs - durationMs) + durationMs
    return this.#endMs
  }
}

/** What a stream may use of its engine without being put behind the others. */
export interface Entitlement {
  /** The fair part of the engine's time, above 0. */
  readonly part: number
  /** Time of the engine that it may use at once after it has used nothing for a while. */
  readonly advanceMs: number
}

/** What one stream has used of its engine. */
export class Usage {
  #paidUntilMs = Number.NEGATIVE_INFINITY

  /** Nothing of this stream is due before this moment. */
  get paidUntilMs(): number {
    return this.#paidUntilMs
  }

  /** `costMs` of the engine's time were used. */
  charge(nowMs: number, costMs: number, { part, advanceMs }: Entitlement): void {
    const paidUntilMs = Math.max(this.#paidUntilMs, nowMs - advanceMs / part) + costMs / part
    this.#paidUntilMs = Math.min(paidUntilMs, nowMs + LONGEST_DEBT_MS)
  }
}

/** An item that waits in a stream's inbox. */
export interface Waiting {
  readonly type: 'audio' | 'flush' | 'reset' | 'configure'
  readonly dueMs: number
}

/**
 * When a stream must have its next turn; Infinity when nothing waits. Its items are done in order, so it is as urgent as the most urgent
 * of them. `hasText`: words of the current utterance have been delivered. `paidUntilMs`: see Usage.
 */
export function deadlineMs(
  inbox: readonly Waiting[],
  hasText: boolean,
  paidUntilMs = Number.NEGATIVE_INFINITY,
): number {
  let earliest = Number.POSITIVE_INFINITY
  let running = hasText
  for (const { type, dueMs } of inbox) {
    const dueAtMs = Math.max(dueMs, paidUntilMs)
    earliest = Math.min(earliest, dueAtMs + patienceMs(type, running))
    if (type !== 'audio') running = false
  }
  return earliest
}

export function patienceMs(type: Waiting['type'], running: boolean): number {
  if (type === 'audio') return PATIENCE_MS[running ? 'running' : 'beginning']
  return PATIENCE_MS[type === 'flush' ? 'flush' : 'control']
}

/** The stream whose oldest item should be done now. */
export function nextStream<S extends { readonly deadlineMs: number }>(streams: Iterable<S>): S | undefined {
  let next: S | undefined
  let earliest = Number.POSITIVE_INFINITY
  for (const stream of streams) {
    const deadline = stream.deadlineMs
    if (deadline >= earliest) continue
    next = stream
    earliest = deadline
  }
  return next
}

/** A chunk that is to be heard. Those of one network and one length may be heard together, which costs less than one after the other. */
export interface Chunk {
  readonly network: object
  readonly samples: number
  readonly mostTogether: number
}

export interface Scheduled {
  readonly deadlineMs: number
  /** Its oldest item, where that is a chunk. */
  readonly nextChunk: Chunk | undefined
}

/** A run of four takes nearly four times as long: nobody waits that long for the sake of one that is so much less urgent. */
const LESS_URGENT_MS = 300

/**
 * The streams whose oldest items should be done now, the most urgent first: one, or several with chunks that can be heard together. They are
 * walked twice, so it takes no iterator: the second walk over the values of a map would find nobody.
 */
export function nextStreams<S extends Scheduled>(streams: readonly S[]): S[] {
  const first = nextStream(streams)
  if (first === undefined) return []
  const chunk = first.nextChunk
  if (chunk === undefined || chunk.mostTogether === 1) return [first]
  const latestMs = first.deadlineMs + LESS_URGENT_MS
  const others: S[] = []
  for (const stream of streams) {
    const fits = stream !== first && isSameKind(stream.nextChunk, chunk)
    if (fits && stream.deadlineMs <= latestMs) others.push(stream)
  }
  others.sort((a, b) => a.deadlineMs - b.deadlineMs)
  return [first, ...others.slice(0, chunk.mostTogether - 1)]
}

function isSameKind(a: Chunk | undefined, b: Chunk): boolean {
  return a?.network === b.network && a.samples === b.samples
}
