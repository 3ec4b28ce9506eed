// All sessions of the account, with filters, as a list and as CSV.

import type { ApiKeyList, SessionRow } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import type { JSX } from 'preact'
import { call } from '../../app/api.ts'
import { Page } from '../../app/frames.tsx'
import { useLoad } from '../../app/use-load.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { useWho } from '../../app/who.tsx'
import { formatDateTime } from '../../ui/format.ts'
import { Icon } from '../../ui/icons.tsx'
import { Empty, Problem } from '../../ui/notice.tsx'
import { Listed, usePages } from '../../ui/pager.tsx'
import { SourceCells } from '../../ui/session-details.tsx'
import { StatusBadge, USAGE_HEADS, UsageCells } from '../../ui/session-table.tsx'
import { Table } from '../../ui/table.tsx'
import { NoAccount } from './no-account.tsx'
import { SessionFilterBar, toQuery, useFilters } from './session-filters.tsx'

export function Sessions(): JSX.Element {
  const { me } = useWho()
  return me.account === null ? <NoAccount title="Sessions" /> : <AccountSessions />
}

function AccountSessions(): JSX.Element {
  const [filters, setFilters] = useFilters()
  const keys = useLoad<ApiKeyList>('/keys')
  const query = toQuery(filters)
  const pages = usePages<SessionRow>(`/sessions${query}`)
  return (
    <Page
      title="Sessions"
      actions={
        <a class="button quiet" href={`${CONSOLE_API}/sessions.csv${query}`} download="sauti-sessions.csv">
          <Icon name="download" /> Download CSV
        </a>
      }
    >
      <SessionFilterBar filters={filters} onChange={setFilters} keys={keys.data?.data ?? []} />
      <section class="card" aria-label="Sessions">
        <Listed pages={pages} empty={<NoSessions filtered={query !== ''} />}>
          {sessions => <Rows sessions={sessions} onChange={pages.reload} />}
        </Listed>
      </section>
      <p class="small muted">
        Times are in your time zone ({Intl.DateTimeFormat().resolvedOptions().timeZone}). Audio and
        transcripts are never stored.
      </p>
    </Page>
  )
}

function NoSessions({ filtered }: { filtered: boolean }): JSX.Element {
  if (filtered) return <Empty title="No sessions match these filters" />
  return (
    <Empty title="No sessions yet">
      Try the <a href="/app/playground">playground</a>. Your sessions appear here.
    </Empty>
  )
}

interface RowsProps {
  sessions: readonly SessionRow[]
  onChange: () => void
}

function Rows({ sessions, onChange }: RowsProps): JSX.Element {
  return (
    <Table heads={['Started', 'Status', 'Session', 'Source', ...USAGE_HEADS]}>
      {sessions.map(session => (
        <tr key={session.id}>
          <td class="head number">{formatDateTime(session.created_at)}</td>
          <td class="act">
            <StatusBadge status={session.status} />
            {session.status === 'reserved' && <Cancel id={session.id} onDone={onChange} />}
          </td>
          <SourceCells session={session} />
          <UsageCells session={session} />
        </tr>
      ))}
    </Table>
  )
}

/** Gives back the credit and the slot of a session that was not opened. */
function Cancel({ id, onDone }: { id: string; onDone: () => void }): JSX.Element {
  const submission = useSubmit(async () => {
    await call('DELETE', `/sessions/${id}`)
    onDone()
  })
  return (
    <>
      {' '}
      <button type="button" class="copy" aria-disabled={submission.busy} onClick={submission.run}>
        Cancel
      </button>
      {submission.error !== undefined && <Problem error={submission.error} />}
    </>
  )
}
