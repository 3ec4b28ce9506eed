// Hear a clip, and read what the engine hears.

import type { SampleClip, SampleClipList } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../ui/icons.tsx'
import { transcribeClip } from './transcribe-clip.ts'

interface Playing {
  readonly clip: SampleClip
  readonly text: string
  readonly state: 'speaking' | 'done' | 'failed'
}

export function Demo(): JSX.Element {
  const clips = useClips()
  const [playing, setPlaying] = useState<Playing>()
  const stop = useRef<(() => void) | undefined>(undefined)
  const toggle = (clip: SampleClip) => {
    stop.current?.()
    if (playing?.clip.id === clip.id && playing.state === 'speaking') {
      setPlaying(undefined)
      return
    }
    setPlaying({ clip, text: '', state: 'speaking' })
    stop.current = play(clip, (text, state) => setPlaying({ clip, text, state }))
  }
  return (
    <div class="demo card">
      <h2>Hear it, read it</h2>
      <p class="muted">The real engine on synthetic voices, live from this server.</p>
      {clips?.length === 0 && <p>This server has no sample clips.</p>}
      <div class="clips">
        {clips?.map(clip => (
          <ClipButton
            key={clip.id}
            clip={clip}
            on={playing?.clip.id === clip.id && playing.state === 'speaking'}
            onToggle={() => toggle(clip)}
          />
        ))}
      </div>
      <div class={`heard ${playing?.state ?? ''}`} aria-live="polite" lang="mul">
        {playing === undefined ? <span class="muted">Choose a clip.</span> : playing.text || <Dots />}
      </div>
      {playing?.state === 'done' && (
        <p class="small muted spoken">
          What was said: <span lang="mul">{playing.clip.words}</span>
        </p>
      )}
    </div>
  )
}

function Dots(): JSX.Element {
  return (
    <span class="dots" role="img" aria-label="listening">
      <i />
      <i />
      <i />
    </span>
  )
}

interface ClipButtonProps {
  clip: SampleClip
  on: boolean
  onToggle: () => void
}

function ClipButton({ clip, on, onToggle }: ClipButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class="clip"
      aria-pressed={on}
      style={{ '--clip-length': `${clip.duration_ms}ms` }}
      onClick={onToggle}
    >
      <Icon name={on ? 'stop' : 'play'} size={22} />
      <span>
        <strong>{clip.title}</strong>
        <span class="muted small">{(clip.duration_ms / 1000).toFixed(0)} s</span>
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

/** Starts sound and text together; gives back what ends both. */
function play(clip: SampleClip, show: (text: string, state: Playing['state']) => void): () => void {
  const ended = new AbortController()
  const sound = new Audio(clip.audio_url)
  let current = ''
  const listener = {
    onText: (text: string) => {
      current = text
      show(text, 'speaking')
    },
    onFinal: (text: string) => show(text || 'Nothing was heard.', 'done'),
  }
  // Without sound the text still comes.
  sound.play().catch(() => show(current, 'speaking'))
  transcribeClip(clip.transcript_url, listener, ended.signal).catch((error: Error) => {
    if (ended.signal.aborted) return
    sound.pause()
    show(error.message, 'failed')
  })
  return () => {
    sound.pause()
    ended.abort()
  }
}
