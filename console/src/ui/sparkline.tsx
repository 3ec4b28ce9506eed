// The last minutes of a figure as a small chart of one or two lines, with its latest value in words.

import type { JSX } from 'preact'

const WIDTH = 240
const HEIGHT = 44
const MARGIN = 2

interface Props {
  label: string
  /** Of the same scale; the first one is drawn strongest. */
  lines: readonly (readonly number[])[]
  /** The top of the scale; the largest value where it is not given. */
  max?: number
  value: string
}

export function Sparkline({ label, lines, max = 0, value }: Props): JSX.Element {
  const top = Math.max(max, ...lines.flat(), 1)
  return (
    <figure class="sparkline">
      <figcaption>
        <span>{label}</span> <strong class="number">{value}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {lines.map((values, at) => (
          <Line key={at} points={pointsOf(values, top)} filled={at === 0} />
        ))}
      </svg>
    </figure>
  )
}

function Line({ points, filled }: { points: readonly string[]; filled: boolean }): JSX.Element | null {
  if (points.length === 0) return null
  return (
    <>
      {filled && (
        <polygon points={[`0,${HEIGHT}`, ...points, `${WIDTH},${HEIGHT}`].join(' ')} fill="currentColor" />
      )}
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" class={filled ? '' : 'second'} />
    </>
  )
}

/** One value alone is a level line, not a point that nobody sees. */
function pointsOf(values: readonly number[], top: number): string[] {
  const drawn = values.length === 1 ? [values[0]!, values[0]!] : values
  const step = WIDTH / Math.max(drawn.length - 1, 1)
  const room = HEIGHT - 2 * MARGIN
  return drawn.map((value, at) => `${at * step},${HEIGHT - MARGIN - (value / top) * room}`)
}
