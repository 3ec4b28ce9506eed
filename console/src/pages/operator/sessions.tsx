// Sessions of all accounts, of now and of the past: whose they are and their status, never what is said.

import type { OperatorSession } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { Page } from '../../app/frames.tsx'
import { useRefresh } from '../../app/use-load.ts'
import { formatDateTime } from '../../ui/format.ts'
import { Empty } from '../../ui/notice.tsx'
import { Listed, usePages } from '../../ui/pager.tsx'
import { SourceCells } from '../../ui/session-details.tsx'
import { StatusBadge, USAGE_HEADS, UsageCells } from '../../ui/session-table.tsx'
import { Table } from '../../ui/table.tsx'
import { SessionFilterBar, type SessionFilters, toQuery, useFilters } from '../account/session-filters.tsx'

const REFRESH_MS = 5000

export function AllSessions(): JSX.Element {
  const [filters, setFilters] = useFilters()
  const pages = usePages<OperatorSession>(`/operator/all-sessions${toQuery(filters)}`)
  // Only the first page: whoever has read on should not lose their place.
  useRefresh(() => (pages.rows?.length ?? 0) <= 50 && pages.reload(), REFRESH_MS)
  return (
    <Page title="Sessions">
      <SessionFilterBar filters={filters} onChange={setFilters} />
      <section class="card" aria-label="Sessions">
        <Listed pages={pages} empty={<Empty title={nothingFound(filters)} />}>
          {sessions => <SessionRows sessions={sessions} />}
        </Listed>
      </section>
      <p class="small muted">
        Times are in your time zone ({Intl.DateTimeFormat().resolvedOptions().timeZone}). Audio and
        transcripts are never stored.
      </p>
    </Page>
  )
}

const nothingFound = (filters: SessionFilters) =>
  toQuery(filters) === '' ? 'No sessions yet' : 'No sessions match these filters'

function SessionRows({ sessions }: { sessions: readonly OperatorSession[] }): JSX.Element {
  return (
    <Table heads={['Account', 'Status', 'Started', 'Session', 'Source', ...USAGE_HEADS]}>
      {sessions.map(session => (
        <tr key={session.id}>
          <td class="head">
            <a href={`/operator/accounts/${session.account_id}`}>{session.account_name}</a>
          </td>
          <td class="act">
            <StatusBadge status={session.status} />
          </td>
          <td data-label="Started" class="number">
            {formatDateTime(session.created_at)}
          </td>
          <SourceCells session={session} />
          <UsageCells session={session} />
        </tr>
      ))}
    </Table>
  )
}
