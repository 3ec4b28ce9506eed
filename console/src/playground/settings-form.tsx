// What a run is made with: look-ahead, expected phrases, the microphone and its limit.

import { chunkSamples, LOOK_AHEADS, type LookAhead, SAMPLES_PER_MS } from '@sauti/protocol/audio'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from '../texts/texts.ts'
import { translateDuration } from '../ui/duration.ts'
import { Field, Select } from '../ui/field.tsx'
import type { RunSettings } from './run.ts'

interface Props {
  settings: RunSettings
  onChange: (settings: RunSettings) => void
  disabled: boolean
}

const LIMITS = ['30', '60', '120', '300', 'none'] as const

export function SettingsForm({ settings, onChange, disabled }: Props): JSX.Element {
  const { limitSeconds } = settings
  return (
    <fieldset class="card settings" disabled={disabled}>
      <legend class="visually-hidden">{t('playground.settings')}</legend>
      <Select
        label={t('playground.lookahead')}
        hint={t('playground.lookahead_hint')}
        value={String(settings.lookAhead)}
        options={LOOK_AHEADS.map(frames => ({ value: String(frames), label: describeLookAhead(frames) }))}
        onValue={value => onChange({ ...settings, lookAhead: Number(value) as LookAhead })}
      />
      <Field
        label={t('playground.phrases')}
        hint={t('playground.phrases_hint')}
        name="phrases"
        rows={4}
        maxLength={2000}
        disabled={disabled}
        onText={text => onChange({ ...settings, phrases: readLines(text) })}
      />
      <MicrophoneChoice settings={settings} onChange={onChange} />
      <Select
        label={t('playground.limit')}
        hint={t('playground.limit_hint')}
        value={limitSeconds === undefined ? 'none' : (String(limitSeconds) as (typeof LIMITS)[number])}
        options={LIMITS.map(value => ({ value, label: describeLimit(value) }))}
        onValue={value =>
          onChange({ ...settings, limitSeconds: value === 'none' ? undefined : Number(value) })
        }
      />
      <label class="choice">
        <input
          type="checkbox"
          checked={settings.pauses}
          onChange={event => onChange({ ...settings, pauses: (event.target as HTMLInputElement).checked })}
        />
        {t('playground.pauses')}
      </label>
    </fieldset>
  )
}

function MicrophoneChoice({ settings, onChange }: Omit<Props, 'disabled'>): JSX.Element | null {
  const devices = useMicrophones()
  if (devices.length < 2) return null
  return (
    <Select
      label={t('playground.microphone')}
      value={settings.deviceId ?? ''}
      options={[{ value: '', label: t('playground.microphone_default') }, ...devices]}
      onValue={id => onChange({ ...settings, deviceId: id === '' ? undefined : id })}
    />
  )
}

/** Browsers name them only after the microphone was allowed once. */
function useMicrophones(): readonly { value: string; label: string }[] {
  const [devices, setDevices] = useState<readonly { value: string; label: string }[]>([])
  useEffect(() => {
    const { mediaDevices } = navigator
    const list = async () => {
      const all = (await mediaDevices?.enumerateDevices()) ?? []
      const named = all.filter(({ kind, label, deviceId }) => isChoice(kind, label, deviceId))
      setDevices(named.map(({ deviceId, label }) => ({ value: deviceId, label })))
    }
    void list()
    mediaDevices?.addEventListener('devicechange', list)
    return () => mediaDevices?.removeEventListener('devicechange', list)
  }, [])
  return devices
}

function isChoice(kind: string, label: string, deviceId: string): boolean {
  return kind === 'audioinput' && label !== '' && deviceId !== 'default'
}

function describeLimit(limit: (typeof LIMITS)[number]): string {
  return limit === 'none' ? t('playground.limit_none') : translateDuration(Number(limit) * 1000)
}

function describeLookAhead(frames: LookAhead): string {
  const seconds = (chunkSamples(frames) / SAMPLES_PER_MS / 1000).toFixed(2)
  if (frames === LOOK_AHEADS[0]) return t('playground.lookahead_best', { seconds })
  return t(frames === 0 ? 'playground.lookahead_fast' : 'playground.lookahead_plain', { seconds })
}

function readLines(text: string): readonly string[] {
  const lines = text.split('\n').map(line => line.trim())
  return lines.filter(line => line !== '').slice(0, 100)
}
