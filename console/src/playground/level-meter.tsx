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

export function LevelMeter({ history, active }: { history: LevelHistory; active: boolean }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null)
  const heard = active || history.levels.some(level => level > 0)
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context || !canvas.current) return
    const colour = getComputedStyle(canvas.current).color
    draw(context, history.levels, colour)
    if (!active) return
    let frame = requestAnimationFrame(function again() {
      draw(context, history.levels, colour)
      frame = requestAnimationFrame(again)
    })
    return () => cancelAnimationFrame(frame)
  }, [history, active, heard])
  return (
    <div aria-hidden="true">
      <canvas
        ref={canvas}
        class={heard ? 'levels on' : 'levels'}
        width={BARS * (BAR_WIDTH + GAP)}
        height={HEIGHT}
      />
    </div>
  )
}

function draw(context: CanvasRenderingContext2D, levels: readonly number[], colour: string): void {
  context.clearRect(0, 0, context.canvas.width, HEIGHT)
  context.fillStyle = colour
  for (const [at, level] of levels.entries()) {
    // Loudness is felt by ratios: the square root shows quiet speech, too.
    const height = Math.max(2, Math.sqrt(level) * HEIGHT)
    context.fillRect(at * (BAR_WIDTH + GAP), (HEIGHT - height) / 2, BAR_WIDTH, height)
  }
}
