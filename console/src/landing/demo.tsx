// Hear a clip, see its sound, and read what the engine hears while it is heard.

import type { SampleClip, SampleClipList } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { findModel } from '@sauti/protocol/models'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../texts/texts.ts'
import { Icon } from '../ui/icons.tsx'
import { type Played, playClip } from './play-clip.ts'
import { Waveform } from './waveform.tsx'

export function Demo(): JSX.Element {
  const clips = useClips()
  const [played, setPlayed] = useState<Played>()
  const stop = useRef<(() => void) | undefined>(undefined)
  const isOn = (clip: SampleClip) => played?.clip.id === clip.id && played.state === 'speaking'
  const toggle = (clip: SampleClip) => {
    stop.current?.()
    if (isOn(clip)) setPlayed(undefined)
    else stop.current = playClip(clip, setPlayed)
  }
  return (
    <div class="demo card">
      <h2>{t('landing.demo_title')}</h2>
      <p class="muted">{t('landing.demo_note')}</p>
      <div class="clips">
        {clips?.map(clip => (
          <ClipButton key={clip.id} clip={clip} on={isOn(clip)} onToggle={() => toggle(clip)} />
        ))}
      </div>
      <Waveform peaks={played?.peaks ?? []} sound={played?.sound} active={played?.state === 'speaking'} />
      <Heard played={played} hint={t(clips?.length === 0 ? 'demo.none' : 'demo.choose')} />
    </div>
  )
}

interface HeardProps {
  played: Played | undefined
  /** Before a clip is chosen; in the place of the words, so that nothing moves. */
  hint: string
}

function Heard({ played, hint }: HeardProps): JSX.Element {
  return (
    <>
      <div
        class={`heard ${played?.state ?? ''}`}
        aria-live="polite"
        {...(played?.state === 'done' && { lang: languageCode(played.clip) })}
      >
        {played === undefined && <span class="muted">{hint}</span>}
        {played?.state === 'failed' && played.text}
        {played !== undefined && played.state !== 'failed' && <Words played={played} />}
      </div>
      <p class="small muted spoken">
        {played?.state === 'done' && (
          <>
            {t('demo.said')} <span lang={languageCode(played.clip)}>{played.clip.words}</span>
          </>
        )}
      </p>
    </>
  )
}

/** Each word enters on its own, under the sound that it came from. */
function Words({ played }: { played: Played }): JSX.Element {
  const words = played.text.split(' ').filter(Boolean)
  if (words.length === 0) return <span class="muted">{t('demo.listening')}…</span>
  return (
    <>
      {words.map((word, at) => (
        <span key={at} class="grown">
          {word}{' '}
        </span>
      ))}
    </>
  )
}

const languageCode = (clip: SampleClip) => findModel(clip.model)?.languageCode

interface ClipButtonProps {
  clip: SampleClip
  on: boolean
  onToggle: () => void
}

function ClipButton({ clip, on, onToggle }: ClipButtonProps): JSX.Element {
  return (
    <button type="button" class="clip" aria-pressed={on} onClick={onToggle}>
      <Icon name={on ? 'stop' : 'play'} size={18} />
      <span>
        <strong>{clip.title}</strong>
        <span class="muted small">{t('demo.seconds', { seconds: Math.round(clip.duration_ms / 1000) })}</span>
      </span>
    </button>
  )
}

function useClips(): readonly SampleClip[] | undefined {
  const [clips, setClips] = useState<readonly SampleClip[]>()
  useEffect(() => {
    fetch(`${CONSOLE_API}/demo/clips`)
      .then(response => response.json())
      .then(
        (list: SampleClipList) => setClips(list.data),
        () => setClips([]),
      )
  }, [])
  return clips
}
