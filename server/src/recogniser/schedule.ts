// Whose chunk is next: the one with the earliest deadline. Audio is due at the moment at which its last sample would have been spoken, had
// it come in real time; its deadline is that moment and as long as one may wait for the answer to it. So live speech, due now, goes before
// files sent fast, due in the future; who waits for an answer goes before who is in the middle of a sentence; and nobody starves, because
// a deadline stands still while those of newcomers move on.

/**
 * How long one may wait. The first two are what a client is promised: the first words of an utterance, and the answer to a flush. A
 * sentence that is already on the screen can lag a little behind; it must keep up, and that is all.
 */
export const PATIENCE_MS = { beginning: 150, flush: 350, running: 1000 } as const

/** Gives one stream's audio its due times. */
export class Pace {
  #endMs = Number.NEGATIVE_INFINITY

  /** Audio of `durationMs` came in at `nowMs`; a pause before it earns no credit. Returns when its end is due. */
  take(nowMs: number, durationMs: number): number {
    this.#endMs = Math.max(this.#endMs, nowMs - durationMs) + durationMs
    return this.#endMs
  }
}

/** An item that waits in a stream's inbox. */
export type Waiting =
  | { readonly type: 'audio' | 'flush'; readonly dueMs: number }
  | { readonly type: 'reset' | 'configure' }

/**
 * When a stream must have its next turn; Infinity when nothing waits. Its items are done in order, so it is as urgent as the most urgent
 * of them; what costs nothing is done at once when it is its turn. `hasText`: words of the utterance under way have been told.
 */
export function deadlineMs(inbox: readonly Waiting[], hasText: boolean): number {
  if (inbox[0] !== undefined && !('dueMs' in inbox[0])) return Number.NEGATIVE_INFINITY
  let earliest = Number.POSITIVE_INFINITY
  let running = hasText
  for (const item of inbox) {
    if (item.type === 'audio') {
      earliest = Math.min(earliest, item.dueMs + PATIENCE_MS[running ? 'running' : 'beginning'])
    } else if (item.type === 'flush') {
      earliest = Math.min(earliest, item.dueMs + PATIENCE_MS.flush)
      running = false
    }
  }
  return earliest
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
