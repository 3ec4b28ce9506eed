// The developer's home: credit, usage per day and the latest sessions.

import type { ApiKeyList, ConsoleUsage } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { Page } from '../../app/frames.tsx'
import { useLoad, useRefresh } from '../../app/use-load.ts'
import { useWho } from '../../app/who.tsx'
import { Empty, Shown, Skeleton } from '../../ui/notice.tsx'
import { SessionTable } from '../../ui/session-table.tsx'
import { BalanceStats } from '../../ui/stats.tsx'
import { AccountNotices } from './account-notices.tsx'
import { CreditNotice } from './credit-notice.tsx'
import { NoAccount } from './no-account.tsx'
import { UsageCard } from './usage.tsx'

export function Overview(): JSX.Element {
  const { me } = useWho()
  if (me.account === null) return <NoAccount title="Overview" />
  return (
    <Page title="Overview">
      <AccountNotices />
      <FirstSteps />
      <Usage />
    </Page>
  )
}

function Usage(): JSX.Element {
  const usage = useLoad<ConsoleUsage>('/usage')
  useRefresh(usage.reload, 10_000)
  return (
    <>
      <Shown of={usage} skeleton="stats">
        {data => (
          <>
            <CreditNotice balance={data} />
            <BalanceStats balance={data} />
          </>
        )}
      </Shown>
      <UsageCard />
      {(usage.data !== undefined || usage.error === undefined) && <RecentSessions usage={usage.data} />}
    </>
  )
}

/** Not shown when the balance could not be loaded, either: one message about that is enough. */
function RecentSessions({ usage }: { usage: ConsoleUsage | undefined }): JSX.Element {
  return (
    <section class="card" aria-labelledby="sessions-title">
      <div class="card-head">
        <h2 id="sessions-title">Recent sessions</h2>
        <a class="small" href="/app/sessions">
          All sessions
        </a>
      </div>
      {usage === undefined ? <Skeleton /> : <Recent sessions={usage.recent_sessions} />}
    </section>
  )
}

const SHOWN_SESSIONS = 8

function Recent({ sessions }: { sessions: ConsoleUsage['recent_sessions'] }): JSX.Element {
  if (sessions.length > 0) return <SessionTable sessions={sessions.slice(0, SHOWN_SESSIONS)} />
  return (
    <Empty title="No sessions yet">
      Try the <a href="/app/playground">playground</a>. Your sessions appear here.
    </Empty>
  )
}

function FirstSteps(): JSX.Element | null {
  const keys = useLoad<ApiKeyList>('/keys')
  if (keys.data === undefined || keys.data.data.length > 0) return null
  return (
    <section class="card first-steps" aria-labelledby="first-title">
      <h2 id="first-title">Get your first transcript</h2>
      <ol>
        <li>
          <a href="/app/playground">Try it with your own voice</a> in the playground. There is nothing to
          install.
        </li>
        <li>
          <a href="/app/keys">Create an API key</a> and run the example next to it.
        </li>
      </ol>
    </section>
  )
}
