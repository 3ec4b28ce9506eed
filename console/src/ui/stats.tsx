// The three amounts of an account: what is left, what is set aside for open sessions, what was used.

import type { JSX } from 'preact'
import { formatDuration } from './format.ts'

interface Balance {
  readonly available_ms: number
  readonly reserved_ms: number
  readonly consumed_ms: number
}

export function BalanceStats({ balance }: { balance: Balance }): JSX.Element {
  return (
    <dl class="stats three">
      <Stat name="Available" value={formatDuration(balance.available_ms)} foot="of audio" />
      <Stat name="Reserved" value={formatDuration(balance.reserved_ms)} foot="for open sessions" />
      <Stat name="Consumed" value={formatDuration(balance.consumed_ms)} foot="since the start" />
    </dl>
  )
}

export function Stat({ name, value, foot }: { name: string; value: string; foot?: string }): JSX.Element {
  return (
    <div class="stat">
      <dt>{name}</dt>
      <dd>
        {value}
        {foot !== undefined && <div class="under">{foot}</div>}
      </dd>
    </div>
  )
}
