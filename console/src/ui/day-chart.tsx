// Audio per day as bars: plain boxes, because thirty of them need no chart library and follow theme and width by CSS. The
// same numbers are in a table for screen readers.

import type { UsageDay } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { formatDuration } from './format.ts'

interface Props {
  days: readonly UsageDay[]
  /** The time zone of the days. */
  zone: string
}

export function DayChart({ days, zone }: Props): JSX.Element {
  const [picked, setPicked] = useState<UsageDay>()
  if (days.every(day => day.billable_ms === 0)) return <HollowChart />
  // A finger leaves with every touch; what it touched stays.
  const leave = (event: PointerEvent) => event.pointerType === 'mouse' && setPicked(undefined)
  const top = roundUp(Math.max(...days.map(day => day.billable_ms), 10_000))
  const middle = days[Math.floor(days.length / 2)]
  return (
    <figure style={{ margin: 0 }}>
      <div class="chart" aria-hidden="true">
        <div class="scale">
          {[top, top / 2, 0].map(level => (
            <span key={level}>{formatDuration(level)}</span>
          ))}
        </div>
        <div class="bars" onPointerLeave={leave}>
          {days.map(day => (
            <div key={day.date} class={classOf(day, day === picked)} onPointerEnter={() => setPicked(day)}>
              <div class="bar" style={{ height: `${(day.billable_ms / top) * 100}%` }} />
            </div>
          ))}
        </div>
        <div class="days">
          {[days[0], middle, days.at(-1)].map(
            day => day && <span key={day.date}>{shortDate(day.date)}</span>,
          )}
        </div>
      </div>
      <figcaption class="chart-note">
        {picked === undefined ? sumUp(days) : describe(picked)} · Days in your time zone ({zone})
      </figcaption>
      <div class="visually-hidden">
        <DayTable days={days} />
      </div>
    </figure>
  )
}

/** Before anything was used, the chart says what will be in it. */
function HollowChart(): JSX.Element {
  return (
    <div class="chart hollow">
      <div class="bars">
        <span>No audio in this period. Each day’s audio appears here as a bar.</span>
      </div>
    </div>
  )
}

function classOf(day: UsageDay, isPicked: boolean): string {
  return `day${day.billable_ms === 0 ? ' none' : ''}${isPicked ? ' picked' : ''}`
}

function DayTable({ days }: { days: readonly UsageDay[] }): JSX.Element {
  return (
    <table>
      <caption>Audio per day</caption>
      <thead>
        <tr>
          <th>Day</th>
          <th>Billed</th>
          <th>Sessions</th>
        </tr>
      </thead>
      <tbody>
        {days.map(day => (
          <tr key={day.date}>
            <td>{shortDate(day.date)}</td>
            <td>{formatDuration(day.billable_ms)}</td>
            <td>{day.sessions}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function sumUp(days: readonly UsageDay[]): string {
  const billed = days.reduce((sum, day) => sum + day.billable_ms, 0)
  const sessions = days.reduce((sum, day) => sum + day.sessions, 0)
  return `${formatDuration(billed)} in ${sessions} ${sessions === 1 ? 'session' : 'sessions'}, ${days.length} ${days.length === 1 ? 'day' : 'days'}`
}

function describe(day: UsageDay): string {
  const sessions = `${day.sessions} ${day.sessions === 1 ? 'session' : 'sessions'}`
  return `${shortDate(day.date)}: ${formatDuration(day.billable_ms)} billed in ${sessions}`
}

function shortDate(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
}

const MINUTE_S = 60
const HOUR_S = 3600
const STEPS_S = [
  ...[10, 20, 30, 40],
  ...[1, 2, 4, 6, 8, 10, 20, 30, 40].map(minutes => minutes * MINUTE_S),
  ...[1, 2, 4, 6, 8, 12, 24].map(hours => hours * HOUR_S),
]

/** The next round amount that halves well, so that the scale reads easily. */
function roundUp(ms: number): number {
  const seconds = ms / 1000
  const step = STEPS_S.find(candidate => candidate >= seconds)
  return (step ?? Math.ceil(seconds / 86_400) * 86_400) * 1000
}
