// The sound of a clip as bars; what was played so far is coloured.

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

interface Props {
  peaks: readonly number[]
  sound: HTMLAudioElement | undefined
  active: boolean
}

/** Before a clip is chosen: the outline of a sentence, so that the place for the sound can be seen. */
const OUTLINE = Array.from({ length: 72 }, (_, at) => {
  const word = Math.abs(Math.sin(at / 4.6)) * Math.abs(Math.sin(at / 1.7 + 0.6))
  return 0.08 + 0.62 * word * Math.sin((Math.PI * (at + 0.5)) / 72)
})

export function Waveform({ peaks, sound, active }: Props): JSX.Element {
  const played = usePlayed(sound, active)
  const bars = peaks.length === 0 ? OUTLINE : peaks
  return (
    <div class={peaks.length === 0 ? 'waveform outline' : 'waveform'} aria-hidden="true">
      {bars.map((peak, at) => (
        <i
          key={at}
          class={at / bars.length < played ? 'on' : ''}
          style={{ height: `${Math.max(6, peak * 100)}%` }}
        />
      ))}
    </div>
  )
}

/** 0 to 1; a finished clip stays coloured. */
function usePlayed(sound: HTMLAudioElement | undefined, active: boolean): number {
  const [played, setPlayed] = useState(0)
  useEffect(() => {
    if (sound === undefined) return setPlayed(0)
    let frame = requestAnimationFrame(function follow() {
      setPlayed(sound.duration > 0 ? sound.currentTime / sound.duration : 0)
      if (active || !sound.ended) frame = requestAnimationFrame(follow)
    })
    return () => cancelAnimationFrame(frame)
  }, [sound, active])
  return played
}
