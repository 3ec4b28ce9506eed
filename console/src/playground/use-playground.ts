// The playground's state: what is running, what was heard so far, what was measured.

import type { ContinuousFinal } from '@sauti/client'
import { SAMPLES_PER_MS, samplesToMs } from '@sauti/protocol/audio'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { get } from '../app/api.ts'
import { explain, type Trouble } from './explain.ts'
import { LevelHistory } from './level-meter.tsx'
import { canFollow, type Phase } from './phases.ts'
import { needsConsent, type Plan, planFile } from './plan.ts'
import type { Run, RunListener, RunSettings } from './run.ts'

interface Heard {
  readonly finals: readonly ContinuousFinal[]
  /** The utterance under way: what held still, and what just changed. */
  readonly steady: string
  readonly changing: string
  readonly sentMs: number
  readonly firstWordsMs: number | undefined
  readonly finishMs: number | undefined
  readonly billedMs: number | undefined
  /** Something stands in the way that passes by itself. */
  readonly waiting: string | undefined
}

const NOTHING: Heard = {
  finals: [],
  steady: '',
  changing: '',
  sentMs: 0,
  firstWordsMs: undefined,
  finishMs: undefined,
  billedMs: undefined,
  waiting: undefined,
}

/** What was run last, for “show the code” and for the times of a file. */
export interface Last {
  readonly settings: RunSettings
  readonly kind: Run['kind']
  readonly plan: Plan | undefined
}

export interface Playground {
  readonly phase: Phase
  readonly heard: Heard
  readonly trouble: Trouble | undefined
  readonly levels: LevelHistory
  /** How much of a file was prepared, 0 to 1; undefined while the browser decodes it. */
  readonly prepared: number | undefined
  readonly plan: Plan | undefined
  readonly last: Last | undefined
  /** Address of the finished recording, to play it. */
  readonly recordingUrl: string | undefined
  speak(settings: RunSettings): void
  read(getFile: () => Promise<File>, settings: RunSettings): void
  /** Answers the question that a plan asks. */
  decide(go: boolean): void
  flush(): void
  stop(): void
}

/** `reloadBalance` is called when credit was used. */
export function usePlayground(reloadBalance: () => void): Playground {
  const [phase, setPhase] = usePhase()
  const [heard, setHeard] = useState<Heard>(NOTHING)
  const [trouble, setTrouble] = useState<Trouble>()
  const [prepared, setPrepared] = useState<number>()
  const [plan, setPlan] = useState<Plan>()
  const [last, setLast] = useState<Last>()
  const [recordingUrl, setRecording] = useRecordingUrl()
  const levels = useMemo(() => new LevelHistory(), [])
  const run = useRef<Run | undefined>(undefined)
  const reading = useRef<AbortController | undefined>(undefined)
  const answer = useRef<((go: boolean) => void) | undefined>(undefined)
  const leave = () => {
    run.current?.cancel()
    reading.current?.abort()
  }
  useEffect(() => leave, [])

  const begin = () => {
    setTrouble(undefined)
    setHeard(NOTHING)
    setRecording(undefined)
    setPrepared(undefined)
  }
  const follow = async (started: Promise<Run>) => {
    const current = await started
    run.current = current
    setPhase('running')
    try {
      const summary = await current.ended
      setHeard(before => ({ ...before, billedMs: summary.billed_ms }))
    } finally {
      if (current.recording.length > 0) setRecording(current.recording.toWav())
    }
  }
  const attempt = async (work: () => Promise<void>) => {
    begin()
    try {
      await work()
    } catch (error) {
      const reason = explain(error)
      if (!CANCELLED.has(reason.code) && (error as Error).name !== 'AbortError') setTrouble(reason)
    } finally {
      run.current = undefined
      setPlan(undefined)
      setHeard(before => ({ ...before, waiting: undefined }))
      setPhase('idle')
      reloadBalance()
    }
  }
  const listener = listenInto(setHeard, levels)

  const speak = (settings: RunSettings) =>
    attempt(async () => {
      setPhase('starting')
      setLast({ settings, kind: 'microphone', plan: undefined })
      await follow((await loadRun()).runMicrophone(settings, listener))
    })

  const read = (getFile: () => Promise<File>, settings: RunSettings) =>
    attempt(async () => {
      setPhase('reading')
      const cancel = new AbortController()
      reading.current = cancel
      const file = await getFile()
      const { readFile } = await import('./read-file.ts')
      const pcm = await readFile(file, { signal: cancel.signal, onProgress: setPrepared })
      const made = planFile(file.name, samplesToMs(pcm.length), await readAvailableMs())
      setLast({ settings, kind: 'file', plan: made })
      if (needsConsent(made)) {
        setPlan(made)
        setPhase('planned')
        const go = await new Promise<boolean>(resolve => {
          answer.current = resolve
        })
        setPlan(undefined)
        if (!go) return
      }
      setPhase('starting')
      const covered = pcm.subarray(0, Math.floor(made.coveredMs * SAMPLES_PER_MS))
      await follow((await loadRun()).runFile(covered, settings, listener))
    })

  const stop = () => {
    if (phase === 'reading') reading.current?.abort()
    if (phase !== 'running') return
    if (run.current?.kind === 'file') return run.current.cancel()
    setPhase('finishing')
    const startedMs = performance.now()
    run.current?.finish().then(
      () => setHeard(before => ({ ...before, finishMs: performance.now() - startedMs })),
      () => undefined,
    )
  }
  return {
    phase,
    heard,
    trouble,
    levels,
    prepared,
    plan,
    last,
    recordingUrl,
    speak: settings => void speak(settings),
    read: (getFile, settings) => void read(getFile, settings),
    decide: go => answer.current?.(go),
    flush: () => run.current?.flush(),
    stop,
  }
}

/** As it is now: what the page shows may be old, or not there yet. */
const readAvailableMs = async () => (await get<{ available_ms: number }>('/usage')).available_ms

const CANCELLED = new Set(['closed_by_caller'])
const loadRun = () => import('./run.ts')

/** A state that may not follow is refused: two runs at once cannot happen. */
function usePhase(): [Phase, (to: Phase) => void] {
  const [phase, setPhase] = useState<Phase>('idle')
  return [phase, to => setPhase(from => (canFollow(from, to) ? to : from))]
}

function useRecordingUrl(): [string | undefined, (wav: Blob | undefined) => void] {
  const [url, setUrl] = useState<string>()
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url])
  return [url, wav => setUrl(wav === undefined ? undefined : URL.createObjectURL(wav))]
}

function listenInto(setHeard: (change: (before: Heard) => Heard) => void, levels: LevelHistory): RunListener {
  return {
    onDelta: text =>
      setHeard(before => ({
        ...before,
        waiting: undefined,
        ...tellApart(before.steady + before.changing, text),
      })),
    onFinal: final =>
      setHeard(before => ({ ...before, finals: [...before.finals, final], steady: '', changing: '' })),
    onLevel: level => levels.push(level),
    onClock: sentMs => setHeard(before => ({ ...before, sentMs })),
    onFirstWords: firstWordsMs => setHeard(before => ({ ...before, firstWordsMs })),
    onWaiting: waiting => setHeard(before => ({ ...before, waiting })),
  }
}

/** What of the new text was there before, and what is new or different; cut between words. */
export function tellApart(before: string, now: string): { steady: string; changing: string } {
  let same = 0
  while (same < before.length && before[same] === now[same]) same++
  const cut = same === before.length ? same : now.lastIndexOf(' ', same) + 1
  return { steady: now.slice(0, cut), changing: now.slice(cut) }
}
