// After a run: play it in step with the words, take the transcript along, and see the code that does the same.

import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Server } from '../pages/keys/snippets.ts'
import { t } from '../texts/texts.ts'
import { Snippets } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icons.tsx'
import { codeForRun } from './code-for-run.ts'
import { exportTranscript, FORMATS, type Format, textOf } from './export.ts'
import type { Last, Playground } from './use-playground.ts'

interface PlaybackProps {
  url: string
  /** Told while it plays; undefined when it stops. */
  onTime: (ms: number | undefined) => void
  /** Gives a way to play from a moment. */
  onPlayer: (play: (fromMs: number) => void) => void
}

export function Playback({ url, onTime, onPlayer }: PlaybackProps): JSX.Element {
  const player = useRef<HTMLAudioElement>(null)
  useEffect(() => {
    onPlayer(fromMs => {
      const audio = player.current
      if (audio === null) return
      audio.currentTime = fromMs / 1000
      void audio.play()
    })
  }, [url])
  return (
    // biome-ignore lint/a11y/useMediaCaption: the transcript above it is the caption, word by word.
    <audio
      ref={player}
      class="playback"
      controls
      src={url}
      aria-label={t('playground.playback')}
      onTimeUpdate={() => onTime((player.current?.currentTime ?? 0) * 1000)}
      onPause={() => onTime(undefined)}
    />
  )
}

export function TakeAlong({ playground }: { playground: Playground }): JSX.Element | null {
  const { finals } = playground.heard
  if (finals.every(final => final.text === '')) return null
  const save = (format: Format) => {
    const url = URL.createObjectURL(exportTranscript(finals, format))
    const link = Object.assign(document.createElement('a'), { href: url, download: `transcript.${format}` })
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 1000)
  }
  return (
    <div class="row take-along">
      <CopyButton text={textOf(finals)} label={t('playground.copy_transcript')} />
      <span class="small muted">
        <Icon name="download" size={14} /> <span>{t('playground.download')}</span>
      </span>
      {FORMATS.map(format => (
        <button
          key={format}
          type="button"
          class="copy"
          aria-label={`${t('playground.download')} ${format.toUpperCase()}`}
          onClick={() => save(format)}
        >
          {format.toUpperCase()}
        </button>
      ))}
    </div>
  )
}

export function CodeForRun({ last, server }: { last: Last; server: Server }): JSX.Element {
  return (
    <details class="card more">
      <summary>{t('playground.code')}</summary>
      <p class="muted">{t('playground.code_hint')}</p>
      <Snippets snippets={codeForRun(last, server)} />
    </details>
  )
}
