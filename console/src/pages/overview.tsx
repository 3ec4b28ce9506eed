// The developer's home: what is left, what was used day by day, and the last sessions.

import type { ApiKeyList, ConsoleUsage } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { Page } from '../app/frames.tsx'
import { useLoad, useRefresh } from '../app/use-load.ts'
import { useWho } from '../app/who.tsx'
import { DayChart } from '../ui/day-chart.tsx'
import { Empty, Notice, Shown } from '../ui/notice.tsx'
import { SessionTable } from '../ui/session-table.tsx'
import { BalanceStats } from '../ui/stats.tsx'
import { AccountNotices } from './account-notices.tsx'

export function Overview(): JSX.Element {
  const { me } = useWho()
  if (me.account === null) return <NoAccount />
  return (
    <Page title="Overview">
      <AccountNotices />
      <FirstSteps />
      <Usage />
    </Page>
  )
}

function NoAccount(): JSX.Element {
  return (
    <Page title="Overview">
      <Notice>
        <p>
          You are an operator without an account of your own. Keys, credit and the playground belong to
          accounts: <a href="/operator/accounts">see the accounts</a>.
        </p>
      </Notice>
    </Page>
  )
}

function Usage(): JSX.Element {
  const usage = useLoad<ConsoleUsage>('/usage')
  useRefresh(usage.reload, 10_000)
  return (
    <Shown of={usage}>
      {data => (
        <>
          <BalanceStats balance={data} />
          <section class="card" aria-labelledby="chart-title">
            <h2 id="chart-title">Audio a day</h2>
            <DayChart days={data.days} />
          </section>
          <section class="card" aria-labelledby="sessions-title">
            <h2 id="sessions-title">Recent sessions</h2>
            {data.recent_sessions.length === 0 ? (
              <Empty title="No sessions yet">
                Say something in the <a href="/app/playground">playground</a>, and it appears here.
              </Empty>
            ) : (
              <SessionTable sessions={data.recent_sessions} />
            )}
          </section>
        </>
      )}
    </Shown>
  )
}

function FirstSteps(): JSX.Element | null {
  const keys = useLoad<ApiKeyList>('/keys')
  if (keys.data === undefined || keys.data.data.length > 0) return null
  return (
    <section class="card first-steps" aria-labelledby="first-title">
      <h2 id="first-title">Two steps to your first transcript</h2>
      <ol>
        <li>
          <a href="/app/playground">Try your own voice</a> in the playground. Nothing to install.
        </li>
        <li>
          <a href="/app/keys">Create an API key</a> and paste the code beside it into your server.
        </li>
      </ol>
    </section>
  )
}
