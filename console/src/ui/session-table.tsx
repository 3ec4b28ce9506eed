// Sessions as a table: status, model, audio and what was billed. Never what was said.

import type { UsageSession } from '@sauti/protocol/http'
import type { JSX } from 'preact'
import { formatAgo, formatDateTime, formatDuration, languageOf } from './format.ts'
import { Table } from './table.tsx'

const TONES: Record<UsageSession['status'], string> = {
  reserved: 'badge warn',
  active: 'badge live',
  completed: 'badge good',
  failed: 'badge bad',
  expired: 'badge',
}

interface StatusBadgeProps {
  status: UsageSession['status']
  /** Where it stands among translated words. */
  label?: string
}

export function StatusBadge({ status, label }: StatusBadgeProps): JSX.Element {
  return <span class={TONES[status]}>{label ?? status.charAt(0).toUpperCase() + status.slice(1)}</span>
}

export function When({ at }: { at: string }): JSX.Element {
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatAgo(at)}
    </time>
  )
}

/** The last columns, the same in every table of sessions. */
export const USAGE_HEADS = ['Model', { text: 'Audio', right: true }, { text: 'Billed', right: true }] as const

/** The cells below them. */
export function UsageCells({
  session,
}: {
  session: { readonly model: string; readonly audio_ms: number; readonly billable_ms: number }
}): JSX.Element {
  return (
    <>
      <td data-label="Model">{languageOf(session.model)}</td>
      <td data-label="Audio" class="number right">
        {formatDuration(session.audio_ms)}
      </td>
      <td data-label="Billed" class="number right">
        {formatDuration(session.billable_ms)}
      </td>
    </>
  )
}

export function SessionTable({ sessions }: { sessions: readonly UsageSession[] }): JSX.Element {
  return (
    <Table heads={['Started', 'Status', ...USAGE_HEADS]}>
      {sessions.map(session => (
        <tr key={session.id}>
          <td class="head">
            <When at={session.created_at} />
          </td>
          <td class="act">
            <StatusBadge status={session.status} />
          </td>
          <UsageCells session={session} />
        </tr>
      ))}
    </Table>
  )
}
