// From values to places on the paper, with round numbers at the axis. Pure.

export interface Scale {
  readonly ticks: readonly number[]
  place(value: number): number
}

const TICKS = 5

/** `from` and `to` are the places of the lower and of the upper end. */
export function scaleFor(kind: 'linear' | 'log', values: readonly number[], from: number, to: number): Scale {
  return kind === 'log' ? logScale(values, from, to) : linearScale(values, from, to)
}

function linearScale(values: readonly number[], from: number, to: number): Scale {
  const most = Math.max(...values) || 1
  const step = roundStep(most / TICKS)
  const steps = Math.ceil(most / step)
  return {
    ticks: Array.from({ length: steps + 1 }, (_, i) => i * step),
    place: value => place(from + ((to - from) * value) / (steps * step)),
  }
}

function logScale(values: readonly number[], from: number, to: number): Scale {
  const good = values.filter(value => value > 0)
  const low = Math.floor(Math.log10(Math.min(...good)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...good))))
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)),
    place: value =>
      place(from + ((to - from) * (Math.log10(Math.max(value, 10 ** low)) - low)) / (high - low)),
  }
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least)!
}

function place(at: number): number {
  return Number(at.toFixed(1))
}

export function placesOf({ ticks, place: placeOf }: Scale): { at: number; label: string }[] {
  return ticks.map(tick => ({ at: placeOf(tick), label: labelOf(tick) }))
}

function labelOf(tick: number): string {
  return tick.toLocaleString('en', { maximumSignificantDigits: 3 })
}
