// Where a continuous stream stands, and what may follow.

export type ContinuousState =
  /** No audio has come yet, or none since the last session ended. */
  | 'idle'
  | 'connecting'
  | 'streaming'
  /** A temporary failure; it will be tried again. */
  | 'waiting'
  | 'completed'
  | 'failed'

const TRANSITIONS: Record<ContinuousState, readonly ContinuousState[]> = {
  idle: ['connecting', 'completed', 'failed'],
  connecting: ['streaming', 'waiting', 'failed'],
  streaming: ['idle', 'connecting', 'waiting', 'completed', 'failed'],
  waiting: ['idle', 'connecting', 'failed'],
  completed: [],
  failed: [],
}

export function changeState(from: ContinuousState, to: ContinuousState): ContinuousState {
  if (from !== to && !TRANSITIONS[from].includes(to))
    throw new Error(`a stream cannot go from ${from} to ${to}`)
  return to
}
