// Sessions as a table: status, model, audio and what was billed. Never what was said.

import type { UsageSession } from '@sauti/protocol/http'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { formatAgo, formatDateTime, formatDuration, languageOf } from './format.ts'
import { Table } from './table.tsx'

const SHOW_DONE_MS = 2000

const TONES: Record<UsageSession['status'], string> = {
  reserved: 'badge warn',
  active: 'badge live',
  completed: 'badge good',
  failed: 'badge bad',
  expired: 'badge',
}

export function StatusBadge({ status }: { status: UsageSession['status'] }): JSX.Element {
  return <span class={TONES[status]}>{status.charAt(0).toUpperCase() + status.slice(1)}</span>
}

/** The first part of an id; the whole is copied by a click. */
function SessionId({ id }: { id: string }): JSX.Element {
  const [said, setSaid] = useState<string>()
  useEffect(() => {
    if (said === undefined) return
    const timer = setTimeout(() => setSaid(undefined), SHOW_DONE_MS)
    return () => clearTimeout(timer)
  }, [said])
  const copy = () =>
    navigator.clipboard.writeText(id).then(
      () => setSaid('Copied'),
      () => setSaid('Copy failed'),
    )
  return (
    <button type="button" class="id mono" title={id} aria-label={`Copy session ID ${id}`} onClick={copy}>
      <span aria-live="polite">{said ?? id.slice(0, 8)}</span>
    </button>
  )
}

export function When({ at }: { at: string }): JSX.Element {
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatAgo(at)}
    </time>
  )
}

/** Which session it is, and what it was opened with. */
export function SourceCells({
  session,
}: {
  session: { readonly id: string; readonly key: { readonly name: string } | null }
}): JSX.Element {
  return (
    <>
      <td data-label="Session">
        <SessionId id={session.id} />
      </td>
      <td data-label="Source">{session.key === null ? 'Playground' : session.key.name || 'Unnamed key'}</td>
    </>
  )
}

/** The last cells of a row, the same in every table of sessions: model, audio, billed. */
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
          <UsageCells session={session} />
        </tr>
      ))}
    </Table>
  )
}
