// Whose chunk is next. Everything that waits has a due time: the moment at which its last sample would have been spoken, had the audio
// come in real time. The earliest due goes first. So live speech, due now, goes before files sent fast, due in the future; and no file
// starves, because its due time stands still while the due times of live speech move on.

/** A client waits for the answer to a flush, so it goes before chunks that were due up to this much earlier. */
const FLUSH_ADVANCE_MS = 1000

/** Gives one stream's audio its due times. */
export class Pace {
  #endMs = Number.NEGATIVE_INFINITY

  /** Audio of `durationMs` came in at `nowMs`; a pause before it earns no credit. Returns when its end is due. */
  take(nowMs: number, durationMs: number): number {
    this.#endMs = Math.max(this.#endMs, nowMs - durationMs) + durationMs
    return this.#endMs
  }

  flush(nowMs: number): number {
    return Math.max(this.#endMs, nowMs - FLUSH_ADVANCE_MS) - FLUSH_ADVANCE_MS
  }
}

/** What a stream has waiting: when each item is due, the oldest item first. */
export interface Waiting {
  readonly dues: readonly number[]
}

/** The stream whose oldest item should be done now. A stream is as urgent as the most urgent item that it has waiting. */
export function nextStream<S extends Waiting>(streams: Iterable<S>): S | undefined {
  let next: S | undefined
  let earliest = Number.POSITIVE_INFINITY
  for (const stream of streams) {
    if (stream.dues.length === 0) continue
    const due = Math.min(...stream.dues)
    if (next === undefined || due < earliest) {
      next = stream
      earliest = due
    }
  }
  return next
}
