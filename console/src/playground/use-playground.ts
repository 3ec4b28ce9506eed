// The playground's state: what is running, what was heard so far, what was measured.

import type { FinalEvent } from '@sauti/client'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { explain, type Trouble } from './explain.ts'
import { LevelHistory } from './level-meter.tsx'
import type { Run, RunListener, RunSettings } from './run.ts'

type Phase = 'idle' | 'starting' | 'listening' | 'finishing'

interface Heard {
  readonly finals: readonly FinalEvent[]
  readonly steady: string
  readonly changing: string
  readonly progress: number | undefined
  readonly firstWordsMs: number | undefined
  readonly flushMs: number | undefined
}

const NOTHING: Heard = {
  finals: [],
  steady: '',
  changing: '',
  progress: undefined,
  firstWordsMs: undefined,
  flushMs: undefined,
}

export interface Playground {
  readonly phase: Phase
  readonly heard: Heard
  readonly trouble: Trouble | undefined
  readonly levels: LevelHistory
  speak(settings: RunSettings): void
  read(getFile: () => Promise<Blob>, settings: RunSettings): void
  flush(): void
  finish(): void
}

export function usePlayground(onEnded: () => void): Playground {
  const [phase, setPhase] = useState<Phase>('idle')
  const [heard, setHeard] = useState<Heard>(NOTHING)
  const [trouble, setTrouble] = useState<Trouble>()
  const levels = useMemo(() => new LevelHistory(), [])
  const run = useRef<Run | undefined>(undefined)
  useEffect(() => () => void run.current?.finish().catch(explain), [])

  const start = async (open: (listener: RunListener) => Promise<Run>) => {
    setPhase('starting')
    setTrouble(undefined)
    setHeard(NOTHING)
    try {
      run.current = await open(listenInto(setHeard, levels))
      setPhase('listening')
      await run.current.ended
    } catch (error) {
      setTrouble(explain(error))
    } finally {
      run.current = undefined
      setPhase('idle')
      onEnded()
    }
  }
  return {
    phase,
    heard,
    trouble,
    levels,
    speak: settings => void start(async listener => (await loadRun()).runMicrophone(settings, listener)),
    read: (getFile, settings) =>
      void start(async listener => (await loadRun()).runFile(await getFile(), settings, listener)),
    flush: () => void run.current?.flush().catch(explain),
    finish: () => {
      setPhase('finishing')
      run.current?.finish().catch(explain)
    },
  }
}

const loadRun = () => import('./run.ts')

function listenInto(setHeard: (change: (before: Heard) => Heard) => void, levels: LevelHistory): RunListener {
  return {
    onDelta: text => setHeard(before => ({ ...before, ...tellApart(before.steady + before.changing, text) })),
    onFinal: final =>
      setHeard(before => ({ ...before, finals: [...before.finals, final], steady: '', changing: '' })),
    onLevel: level => levels.push(level),
    onProgress: progress => setHeard(before => ({ ...before, progress })),
    onFirstWords: firstWordsMs => setHeard(before => ({ ...before, firstWordsMs })),
    onFlushed: flushMs => setHeard(before => ({ ...before, flushMs })),
  }
}

/** What of the new text stood there before, and what is new or different; cut between words. */
export function tellApart(before: string, now: string): { steady: string; changing: string } {
  let same = 0
  while (same < before.length && before[same] === now[same]) same++
  const cut = same === before.length ? same : now.lastIndexOf(' ', same) + 1
  return { steady: now.slice(0, cut), changing: now.slice(cut) }
}
