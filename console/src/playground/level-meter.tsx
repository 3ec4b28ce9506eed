// The sound of the last seconds as bars: proof that the microphone hears.

import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

const BARS = 96
const BAR_WIDTH = 4
const GAP = 2
const HEIGHT = 56

export class LevelHistory {
  readonly levels: number[] = Array(BARS).fill(0)

  push(level: number): void {
    this.levels.push(level)
    if (this.levels.length > BARS) this.levels.shift()
  }
}

/** A drawing whose colour is a matter of styles, so that it follows the theme. */
export function LevelMeter({ history, active }: { history: LevelHistory; active: boolean }): JSX.Element {
  const bars = useRef<SVGPathElement>(null)
  const heard = active || history.levels.some(level => level > 0)
  useEffect(() => {
    const draw = () => bars.current?.setAttribute('d', describeBars(history.levels))
    draw()
    if (!active) return
    let frame = requestAnimationFrame(function again() {
      draw()
      frame = requestAnimationFrame(again)
    })
    return () => cancelAnimationFrame(frame)
  }, [history, active])
  return (
    <svg
      class={heard ? 'levels on' : 'levels'}
      viewBox={`0 0 ${BARS * (BAR_WIDTH + GAP)} ${HEIGHT}`}
      preserveAspectRatio="none"
      fill="currentColor"
      aria-hidden="true"
    >
      <path ref={bars} />
    </svg>
  )
}

function describeBars(levels: readonly number[]): string {
  const bars = levels.map((level, at) => {
    // Loudness is felt by ratios: the square root shows quiet speech, too.
    const height = Math.max(2, Math.sqrt(level) * HEIGHT)
    const top = ((HEIGHT - height) / 2).toFixed(1)
    return `M${at * (BAR_WIDTH + GAP)} ${top}h${BAR_WIDTH}v${height.toFixed(1)}h-${BAR_WIDTH}z`
  })
  return bars.join('')
}
