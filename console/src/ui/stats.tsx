// The three amounts of an account: available, reserved for open sessions, used.

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
      <Stat name="Available" value={formatDuration(balance.available_ms)} foot="of audio credit" />
      <Stat name="Reserved" value={formatDuration(balance.reserved_ms)} foot="for open sessions" />
      <Stat name="Used" value={formatDuration(balance.consumed_ms)} foot="in total" />
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
