// The playground's state: what is running, what was heard so far, what was measured.

import { SAMPLES_PER_MS, samplesToMs } from '@sauti/protocol/audio'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { get } from '../app/api.ts'
import { explain, type Trouble } from './explain.ts'
import { type Heard, listenInto, NOTHING_HEARD } from './heard.ts'
import { LevelHistory } from './level-meter.tsx'
import { canFollow, type Phase } from './phases.ts'
import { needsConsent, type Plan, planFile } from './plan.ts'
import type { Run, RunSettings } from './run.ts'

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
  const state = usePlaygroundState()
  const work = useWork()
  const attempt = async (task: () => Promise<void>) => {
    await runTask(state, work, task)
    reloadBalance()
  }
  const { phase, heard, trouble, levels, prepared, plan, last, recordingUrl } = state
  return {
    phase,
    heard,
    trouble,
    levels,
    prepared,
    plan,
    last,
    recordingUrl,
    speak: settings => void attempt(() => speak(state, work, settings)),
    read: (getFile, settings) => void attempt(() => read(state, work, getFile, settings)),
    decide: go => work.answer.current?.(go),
    flush: () => work.run.current?.flush(),
    stop: () => stop(state, work),
  }
}

type State = ReturnType<typeof usePlaygroundState>

/** What the page shows, and how it is changed. */
function usePlaygroundState() {
  const [phase, setPhase] = usePhase()
  const [heard, setHeard] = useState<Heard>(NOTHING_HEARD)
  const [trouble, setTrouble] = useState<Trouble>()
  const [prepared, setPrepared] = useState<number>()
  const [plan, setPlan] = useState<Plan>()
  const [last, setLast] = useState<Last>()
  const [recordingUrl, setRecording] = useRecordingUrl()
  const levels = useMemo(() => new LevelHistory(), [])
  const values = { phase, heard, trouble, prepared, plan, last, recordingUrl, levels }
  return { ...values, setPhase, setHeard, setTrouble, setPrepared, setPlan, setLast, setRecording }
}

interface Current<T> {
  current: T | undefined
}

/** What goes on at the moment and can be stopped or answered. */
interface Work {
  readonly run: Current<Run>
  readonly reading: Current<AbortController>
  /** To the question that a plan asks. */
  readonly answer: Current<(go: boolean) => void>
}

/** Whoever leaves the page ends what goes on there. */
function useWork(): Work {
  const run = useRef<Run | undefined>(undefined)
  const reading = useRef<AbortController | undefined>(undefined)
  const answer = useRef<((go: boolean) => void) | undefined>(undefined)
  const leave = () => {
    run.current?.cancel()
    reading.current?.abort()
  }
  useEffect(() => leave, [])
  return { run, reading, answer }
}

/** From an empty page to an idle one, with the reason where the task failed. */
async function runTask(state: State, work: Work, task: () => Promise<void>): Promise<void> {
  state.setTrouble(undefined)
  state.setHeard(NOTHING_HEARD)
  state.setRecording(undefined)
  state.setPrepared(undefined)
  try {
    await task()
  } catch (error) {
    const reason = explain(error)
    if (!CANCELLED.has(reason.code) && (error as Error).name !== 'AbortError') state.setTrouble(reason)
  } finally {
    work.run.current = undefined
    state.setPlan(undefined)
    state.setHeard(before => ({ ...before, waiting: undefined }))
    state.setPhase('idle')
  }
}

async function speak(state: State, work: Work, settings: RunSettings): Promise<void> {
  state.setPhase('starting')
  state.setLast({ settings, kind: 'microphone', plan: undefined })
  const { runMicrophone } = await loadRun()
  await follow(state, work, runMicrophone(settings, listenInto(state.setHeard, state.levels)))
}

async function read(
  state: State,
  work: Work,
  getFile: () => Promise<File>,
  settings: RunSettings,
): Promise<void> {
  state.setPhase('reading')
  const cancel = new AbortController()
  work.reading.current = cancel
  const file = await getFile()
  const { readFile } = await import('./read-file.ts')
  const pcm = await readFile(file, { signal: cancel.signal, onProgress: state.setPrepared })
  const plan = planFile(file.name, samplesToMs(pcm.length), await readAvailableMs())
  state.setLast({ settings, kind: 'file', plan })
  if (needsConsent(plan) && !(await askForConsent(state, work, plan))) return
  state.setPhase('starting')
  const covered = pcm.subarray(0, Math.floor(plan.coveredMs * SAMPLES_PER_MS))
  const { runFile } = await loadRun()
  await follow(state, work, runFile(covered, settings, listenInto(state.setHeard, state.levels)))
}

async function askForConsent(state: State, work: Work, plan: Plan): Promise<boolean> {
  state.setPlan(plan)
  state.setPhase('planned')
  const go = await new Promise<boolean>(resolve => {
    work.answer.current = resolve
  })
  state.setPlan(undefined)
  return go
}

/** Until the run ends. Its recording can be played, also when it failed. */
async function follow(state: State, work: Work, started: Promise<Run>): Promise<void> {
  const run = await started
  work.run.current = run
  state.setPhase('running')
  try {
    const summary = await run.ended
    state.setHeard(before => ({ ...before, billedMs: summary.billed_ms }))
  } finally {
    if (run.recording.length > 0) state.setRecording(run.recording.toWav())
  }
}

function stop(state: State, work: Work): void {
  if (state.phase === 'reading') work.reading.current?.abort()
  if (state.phase !== 'running') return
  if (work.run.current?.kind === 'file') {
    work.run.current.cancel()
    return
  }
  state.setPhase('finishing')
  const startedMs = performance.now()
  work.run.current?.finish().then(
    () => state.setHeard(before => ({ ...before, finishMs: performance.now() - startedMs })),
    () => undefined,
  )
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
