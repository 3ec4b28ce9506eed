// The life of the playground as one named state, and which state may follow which.

export type Phase = 'idle' | 'reading' | 'planned' | 'starting' | 'running' | 'finishing'

const NEXT: Readonly<Record<Phase, readonly Phase[]>> = {
  idle: ['reading', 'starting'],
  reading: ['planned', 'starting', 'idle'],
  planned: ['starting', 'idle'],
  starting: ['running', 'idle'],
  running: ['finishing', 'idle'],
  finishing: ['idle'],
}

export function canFollow(from: Phase, to: Phase): boolean {
  return from === to || NEXT[from].includes(to)
}
