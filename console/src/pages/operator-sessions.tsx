// Sessions that are open now: whose and in which state, never what is said.

import type { LiveSession, LiveSessionList } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { Page } from '../app/frames.tsx'
import { useLoad, useRefresh } from '../app/use-load.ts'
import { formatDuration, languageOf } from '../ui/format.ts'
import { Empty, Shown } from '../ui/notice.tsx'
import { StatusBadge, When } from '../ui/session-table.tsx'
import { Table } from '../ui/table.tsx'

export function Sessions(): JSX.Element {
  const sessions = useLoad<LiveSessionList>('/operator/sessions')
  useRefresh(sessions.reload, 4000)
  return (
    <Page title="Live sessions">
      <section class="card" aria-label="Open sessions">
        <Shown of={sessions}>
          {({ data }) =>
            data.length === 0 ? <Empty title="Nobody is streaming now" /> : <LiveTable sessions={data} />
          }
        </Shown>
      </section>
      <p class="small muted">State only. What is said is neither shown nor stored.</p>
    </Page>
  )
}

function LiveTable({ sessions }: { sessions: readonly LiveSession[] }): JSX.Element {
  return (
    <Table heads={['Account', 'State', 'Model', 'Started', { text: 'Reserved', right: true }]}>
      {sessions.map(session => (
        <tr key={session.id}>
          <td class="head">
            <a href={`/operator/accounts/${session.account_id}`}>{session.account_name}</a>
          </td>
          <td class="act">
            <StatusBadge status={session.status} />
          </td>
          <td>{languageOf(session.model)}</td>
          <td data-label="Started">
            <When at={session.created_at} />
          </td>
          <td data-label="Reserved" class="number right">
            {formatDuration(session.reserved_ms)}
          </td>
        </tr>
      ))}
    </Table>
  )
}
