// The playground: speak or choose a file, and read what is heard as it is heard.

import { chunkSamples, LOOK_AHEADS, type LookAhead, SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { MODELS, type ModelId } from '@sauti/protocol/models'
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Page } from '../app/frames.tsx'
import { useLoad } from '../app/use-load.ts'
import { useWho } from '../app/who.tsx'
import { AccountNotices } from '../pages/account-notices.tsx'
import { Chips } from '../ui/chips.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { formatDuration, formatSeconds } from '../ui/format.ts'
import { Icon } from '../ui/icons.tsx'
import { Notice } from '../ui/notice.tsx'
import { Stat } from '../ui/stats.tsx'
import { LevelMeter } from './level-meter.tsx'
import type { RunSettings } from './run.ts'
import { fetchSample } from './sample.ts'
import { Transcript } from './transcript.tsx'
import { type Playground as PlaygroundState, usePlayground } from './use-playground.ts'
import '../styles/playground.css'

export function Playground(): JSX.Element {
  const { me } = useWho()
  if (me.account !== null) return <Bench />
  return (
    <Page title="Playground">
      <Notice>
        <p>The playground uses the credit of an account, and you have none of your own.</p>
      </Notice>
    </Page>
  )
}

function Bench(): JSX.Element {
  const usage = useLoad<{ available_ms: number }>('/usage')
  const playground = usePlayground(usage.reload)
  const [settings, setSettings] = useState<RunSettings>({
    model: MODELS[0].id,
    lookAhead: LOOK_AHEADS[0],
    phrases: [],
    maxSeconds: 60,
  })
  const busy = playground.phase !== 'idle'
  return (
    <Page title="Playground">
      <AccountNotices />
      <div class="bench">
        <div>
          <section class="card" aria-label="Transcript">
            <Chips<ModelId>
              legend="Language"
              value={settings.model}
              options={LANGUAGES}
              onValue={model => setSettings({ ...settings, model })}
              disabled={busy}
            />
            <LevelMeter history={playground.levels} active={busy} />
            <Transcript {...playground.heard} listening={playground.phase === 'listening'} />
            <Controls playground={playground} settings={settings} />
            {playground.trouble !== undefined && (
              <div class="notice bad" role="alert" data-code={playground.trouble.code}>
                <p>{playground.trouble.message}</p>
              </div>
            )}
          </section>
          <Measured playground={playground} availableMs={usage.data?.available_ms} />
        </div>
        <SettingsForm settings={settings} onChange={setSettings} disabled={busy} />
      </div>
    </Page>
  )
}

function Controls({
  playground,
  settings,
}: {
  playground: PlaygroundState
  settings: RunSettings
}): JSX.Element {
  const chooser = useRef<HTMLInputElement>(null)
  const { phase, heard } = playground
  if (phase !== 'idle') {
    return (
      <div class="row controls">
        <button type="button" class="button" disabled={phase !== 'listening'} onClick={playground.finish}>
          <Icon name="stop" /> {heard.progress === undefined ? 'Stop' : 'Cancel'}
        </button>
        {heard.progress === undefined ? (
          <button
            type="button"
            class="button quiet"
            disabled={phase !== 'listening'}
            onClick={playground.flush}
          >
            End of sentence
          </button>
        ) : (
          <progress class="progress" value={heard.progress} aria-label="Sent">
            {Math.round(heard.progress * 100)} %
          </progress>
        )}
        <span class="muted" role="status">
          {PHASES[phase]}
        </span>
      </div>
    )
  }
  const text = heard.finals.map(final => final.text).join('\n')
  return (
    <div class="row controls">
      <button type="button" class="button" onClick={() => playground.speak(settings)}>
        <Icon name="mic" /> Speak
      </button>
      <button type="button" class="button quiet" onClick={() => chooser.current?.click()}>
        <Icon name="file" /> Choose a file
      </button>
      <input
        ref={chooser}
        type="file"
        accept="audio/*,video/*"
        hidden
        onChange={event => {
          const input = event.target as HTMLInputElement
          const file = input.files?.[0]
          input.value = ''
          if (file !== undefined) playground.read(async () => file, settings)
        }}
      />
      <button
        type="button"
        class="button quiet"
        onClick={() => playground.read(() => fetchSample(settings.model), settings)}
      >
        <Icon name="play" /> Try a sample
      </button>
      {text !== '' && <CopyButton text={text} what="the transcript" />}
    </div>
  )
}

const PHASES = {
  idle: '',
  starting: 'Starting…',
  listening: 'Listening',
  finishing: 'Finishing…',
} as const

interface MeasuredProps {
  playground: PlaygroundState
  availableMs: number | undefined
}

function Measured({ playground: { heard }, availableMs }: MeasuredProps): JSX.Element {
  const last = heard.finals.at(-1)
  const ms = (value: number | undefined) => (value === undefined ? '–' : `${Math.round(value)} ms`)
  return (
    <dl class="stats measured">
      <Stat name="First words" value={ms(heard.firstWordsMs)} foot="after the first sound" />
      <Stat name="Final text" value={ms(heard.flushMs)} foot="after the end" />
      <Stat name="Audio" value={last === undefined ? '–' : formatSeconds(last.audio_ms)} foot="accepted" />
      <Stat
        name="Credit used"
        value={last === undefined ? '–' : formatDuration(last.billable_ms)}
        foot={availableMs === undefined ? '' : `${formatDuration(availableMs)} left`}
      />
    </dl>
  )
}

interface SettingsFormProps {
  settings: RunSettings
  onChange: (settings: RunSettings) => void
  disabled: boolean
}

const LANGUAGES = MODELS.map(model => ({ value: model.id, label: model.language }))
const LIMITS = ['30', '60', '120', '300'] as const

function SettingsForm({ settings, onChange, disabled }: SettingsFormProps): JSX.Element {
  return (
    <fieldset class="card settings" disabled={disabled}>
      <legend class="visually-hidden">Settings</legend>
      <Select
        label="Look-ahead"
        hint="How much is heard before a word is written: less answers sooner and errs more."
        value={String(settings.lookAhead)}
        options={LOOK_AHEADS.map(frames => ({ value: String(frames), label: describeLookAhead(frames) }))}
        onValue={value => onChange({ ...settings, lookAhead: Number(value) as LookAhead })}
      />
      <Field
        label="Expected phrases"
        hint="Names of people, places or medicines, one a line. They are favoured where they fit the sound."
        name="phrases"
        rows={4}
        maxLength={2000}
        disabled={disabled}
        onText={text => onChange({ ...settings, phrases: readLines(text) })}
      />
      <Select
        label="Longest recording"
        hint="This much credit is set aside; what is not used comes back."
        value={String(settings.maxSeconds) as (typeof LIMITS)[number]}
        options={LIMITS.map(value => ({ value, label: formatDuration(Number(value) * 1000) }))}
        onValue={value => onChange({ ...settings, maxSeconds: Number(value) })}
      />
    </fieldset>
  )
}

function describeLookAhead(frames: LookAhead): string {
  const chunkMs = chunkSamples(frames) / SAMPLES_PER_MS
  const character = frames === LOOK_AHEADS[0] ? ', most accurate' : frames === 0 ? ', soonest' : ''
  return `${(chunkMs / 1000).toFixed(2)} s${character}`
}

function readLines(text: string): readonly string[] {
  const lines = text.split('\n').map(line => line.trim())
  return lines.filter(line => line !== '').slice(0, 100)
}
