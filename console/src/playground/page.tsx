// The playground: speak or choose a file, and read what is heard as it is heard.

import { LOOK_AHEADS } from '@sauti/protocol/audio'
import { MODELS, type ModelId } from '@sauti/protocol/models'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Page } from '../app/frames.tsx'
import { useLoad } from '../app/use-load.ts'
import { useWho } from '../app/who.tsx'
import { AccountNotices } from '../pages/account/account-notices.tsx'
import { NoAccount } from '../pages/account/no-account.tsx'
import { t } from '../texts/texts.ts'
import { Chips } from '../ui/chips.tsx'
import { translateDuration } from '../ui/duration.ts'
import { Stat } from '../ui/stats.tsx'
import { Controls } from './controls.tsx'
import { DropTarget } from './drop-target.tsx'
import { LevelMeter } from './level-meter.tsx'
import { PlanDialog } from './plan-dialog.tsx'
import { CodeForRun, Playback, TakeAlong } from './result.tsx'
import type { RunSettings } from './run.ts'
import { SettingsForm } from './settings-form.tsx'
import { Transcript } from './transcript.tsx'
import { type Playground as PlaygroundState, usePlayground } from './use-playground.ts'
import '../styles/playground.css'

export function Playground(): JSX.Element {
  const { me } = useWho()
  return me.account === null ? <NoAccount title={t('playground.title')} /> : <Bench />
}

const LANGUAGES = MODELS.map(model => ({ value: model.id, label: model.language }))
const INITIAL: RunSettings = {
  model: MODELS[0].id,
  lookAhead: LOOK_AHEADS[0],
  phrases: [],
  limitSeconds: 60,
  deviceId: undefined,
  pauses: true,
}

function Bench(): JSX.Element {
  const { me } = useWho()
  const usage = useLoad<{ available_ms: number }>('/usage')
  const availableMs = usage.data?.available_ms
  const playground = usePlayground(usage.reload)
  const [settings, setSettings] = useState<RunSettings>(INITIAL)
  const busy = playground.phase !== 'idle'
  return (
    <Page title={t('playground.title')} translated>
      <AccountNotices />
      <div class="bench">
        <div>
          <DropTarget
            disabled={busy}
            onFile={file => playground.read(async () => file, settings)}
            label={t('playground.transcript')}
          >
            <Chips<ModelId>
              legend={t('common.language')}
              value={settings.model}
              options={LANGUAGES}
              onValue={model => setSettings({ ...settings, model })}
              disabled={busy}
            />
            <LevelMeter history={playground.levels} active={busy} />
            <Result playground={playground} model={settings.model} />
            <Controls playground={playground} settings={settings} />
            <Troubles playground={playground} />
          </DropTarget>
          <Measured playground={playground} availableMs={availableMs} />
          {playground.last !== undefined && !busy && <CodeForRun last={playground.last} server={me} />}
        </div>
        <SettingsForm settings={settings} onChange={setSettings} disabled={busy} />
      </div>
      {playground.plan !== undefined && <PlanDialog plan={playground.plan} decide={playground.decide} />}
    </Page>
  )
}

function Result({ playground, model }: { playground: PlaygroundState; model: ModelId }): JSX.Element {
  const [playedMs, setPlayedMs] = useState<number>()
  const [play, setPlay] = useState<(fromMs: number) => void>()
  const { heard, recordingUrl, phase } = playground
  const language = MODELS.find(one => one.id === (playground.last?.settings.model ?? model))
  return (
    <>
      <Transcript
        finals={heard.finals}
        steady={heard.steady}
        changing={heard.changing}
        listening={phase === 'running'}
        language={language?.languageCode ?? 'mul'}
        playedMs={playedMs}
        onPlay={recordingUrl === undefined ? undefined : play}
      />
      {recordingUrl !== undefined && phase === 'idle' && (
        <>
          <Playback url={recordingUrl} onTime={setPlayedMs} onPlayer={made => setPlay(() => made)} />
          <TakeAlong playground={playground} />
        </>
      )}
    </>
  )
}

function Troubles({ playground }: { playground: PlaygroundState }): JSX.Element {
  const { trouble, phase, last, heard } = playground
  const doneMs = heard.finals.at(-1)?.end_ms ?? 0
  const plan = phase === 'idle' && doneMs > 0 ? last?.plan : undefined
  const hasRunOut = trouble === undefined || trouble.code === 'insufficient_credits'
  const isCut = plan !== undefined && hasRunOut && plan.coveredMs < plan.lengthMs
  return (
    <>
      {trouble !== undefined && !isCut && (
        <div class="notice bad" role="alert" data-code={trouble.code}>
          <p>{trouble.message}</p>
        </div>
      )}
      {isCut && (
        <div class="notice warn" role="status">
          <p>
            {t('playground.cut', {
              done: translateDuration(doneMs),
              length: translateDuration(plan.lengthMs),
            })}
          </p>
        </div>
      )}
    </>
  )
}

interface MeasuredProps {
  playground: PlaygroundState
  availableMs: number | undefined
}

function Measured({ playground: { heard, last }, availableMs }: MeasuredProps): JSX.Element {
  const shown = (value: number | undefined) => (value === undefined ? '–' : describeWait(value))
  const endMs = heard.finals.at(-1)?.end_ms
  const left =
    availableMs === undefined
      ? ''
      : t('playground.credit_foot', { available: translateDuration(availableMs) })
  return (
    <dl class="stats measured">
      <Stat
        name={t('playground.first_words')}
        value={shown(heard.firstWordsMs)}
        foot={t('playground.first_words_foot')}
      />
      <Stat
        name={t('playground.final_text')}
        value={shown(heard.finishMs)}
        foot={t(last?.kind === 'file' ? 'playground.final_text_file' : 'playground.final_text_foot')}
      />
      <Stat
        name={t('playground.audio')}
        value={endMs === undefined ? '–' : translateDuration(endMs)}
        foot={t('playground.audio_foot')}
      />
      <Stat
        name={t('playground.credit')}
        value={heard.billedMs === undefined ? '–' : translateDuration(heard.billedMs)}
        foot={left}
      />
    </dl>
  )
}

/** From one second on, nobody reads milliseconds. */
function describeWait(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : t('duration.seconds', { count: (ms / 1000).toFixed(1) })
}
