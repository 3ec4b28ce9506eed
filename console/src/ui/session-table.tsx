// Sessions as a table: state, model, audio and what it cost. Never a word of what was said.

import type { UsageSession } from '@sauti/protocol/http'
import type { JSX } from 'preact'
import { formatAgo, formatDateTime, formatDuration, formatSeconds, languageOf } from './format.ts'
import { Table } from './table.tsx'

const TONES: Record<UsageSession['status'], string> = {
  reserved: 'badge warn',
  active: 'badge live',
  completed: 'badge good',
  failed: 'badge bad',
  expired: 'badge',
}

export function StatusBadge({ status }: { status: UsageSession['status'] }): JSX.Element {
  return <span class={TONES[status]}>{status}</span>
}

export function When({ at }: { at: string }): JSX.Element {
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatAgo(at)}
    </time>
  )
}

export function SessionTable({ sessions }: { sessions: readonly UsageSession[] }): JSX.Element {
  return (
    <Table
      heads={['Started', 'Status', 'Model', { text: 'Audio', right: true }, { text: 'Billed', right: true }]}
    >
      {sessions.map(session => (
        <tr key={session.id}>
          <td class="head">
            <When at={session.created_at} />
          </td>
          <td class="act">
            <StatusBadge status={session.status} />
          </td>
          <td>{languageOf(session.model)}</td>
          <td data-label="Audio" class="number right">
            {formatSeconds(session.audio_ms)}
          </td>
          <td data-label="Billed" class="number right">
            {formatDuration(session.billable_ms)}
          </td>
        </tr>
      ))}
    </Table>
  )
}
