// What can be done now. The buttons stay where they are while a run goes on, so that the keyboard does not lose its place.

import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { t } from '../texts/texts.ts'
import { formatClock } from '../ui/format.ts'
import { Icon } from '../ui/icons.tsx'
import type { RunSettings } from './run.ts'
import { fetchSample } from './sample.ts'
import type { Playground } from './use-playground.ts'

interface Props {
  playground: Playground
  settings: RunSettings
}

export function Controls({ playground, settings }: Props): JSX.Element {
  const chooser = useRef<HTMLInputElement>(null)
  const { phase, last } = playground
  const isIdle = phase === 'idle'
  const isSpeaking = phase === 'running' && last?.kind === 'microphone'
  return (
    <>
      <div class="row controls">
        <button
          type="button"
          class="button"
          aria-disabled={phase === 'starting' || phase === 'finishing' || phase === 'planned'}
          onClick={() => (isIdle ? playground.speak(settings) : playground.stop())}
        >
          <Icon name={isIdle ? 'mic' : 'stop'} /> {primaryLabel(playground)}
        </button>
        {isSpeaking && (
          <button type="button" class="button quiet" onClick={playground.flush}>
            {t('playground.new_sentence')}
          </button>
        )}
        <button
          type="button"
          class="button quiet"
          aria-disabled={!isIdle}
          onClick={() => isIdle && chooser.current?.click()}
        >
          <Icon name="file" /> {t('playground.choose_file')}
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
          aria-disabled={!isIdle}
          onClick={() => isIdle && playground.read(() => fetchSample(settings.model), settings)}
        >
          <Icon name="play" /> {t('playground.try_sample')}
        </button>
      </div>
      <Status playground={playground} settings={settings} />
    </>
  )
}

function primaryLabel({ phase, last }: Playground): string {
  if (phase === 'idle') return t('playground.speak')
  const isMicrophone = last?.kind === 'microphone' && phase !== 'reading'
  return t(isMicrophone ? 'playground.stop' : 'common.cancel')
}

/** In words, and for a file as a bar, too. */
function Status({ playground, settings }: Props): JSX.Element {
  const { phase, heard, prepared, last } = playground
  const part = partDone(playground)
  return (
    <div class="status">
      <span role="status">{heard.waiting ?? describe(playground)}</span>
      {part !== undefined && <progress class="progress" value={part} aria-label={describe(playground)} />}
      {phase === 'reading' && prepared === undefined && (
        <progress class="progress" aria-label={t('playground.decoding')} />
      )}
      {phase === 'running' && last?.kind === 'microphone' && (
        <span class="clock number" title={t('playground.clock_label')}>
          <Icon name="clock" size={16} /> {clockText(heard.sentMs, settings.limitSeconds)}
        </span>
      )}
    </div>
  )
}

function clockText(sentMs: number, limitSeconds: number | undefined): string {
  const time = formatClock(sentMs)
  if (limitSeconds === undefined) return time
  return t('playground.clock', { time, limit: formatClock(limitSeconds * 1000) })
}

function partDone({ phase, heard, prepared, last }: Playground): number | undefined {
  if (phase === 'reading') return prepared
  const isFile = phase === 'running' && last?.kind === 'file'
  return isFile && last.plan ? Math.min(1, heard.sentMs / Math.max(1, last.plan.coveredMs)) : undefined
}

function describe(playground: Playground): string {
  const { phase, prepared, last, heard, trouble } = playground
  const percent = Math.round((partDone(playground) ?? 0) * 100)
  switch (phase) {
    case 'idle':
      return heard.sentMs > 0 && trouble === undefined ? t('playground.done') : ''
    case 'reading':
      return prepared === undefined ? t('playground.decoding') : t('playground.resampling', { percent })
    case 'planned':
      return ''
    case 'starting':
      return t('playground.starting')
    case 'running':
      return last?.kind === 'file' ? t('playground.sending', { percent }) : t('playground.listening')
    case 'finishing':
      return t('playground.finishing')
  }
}
