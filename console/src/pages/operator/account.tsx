// One account as an operator sees it: balance, people, keys, ledger, and the actions on it.

import type {
  AccountDetail,
  AccountUser,
  ApiKeyView,
  Invitation,
  LedgerEntryView,
} from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { Page } from '../../app/frames.tsx'
import { useParams } from '../../app/router.tsx'
import { useLoad } from '../../app/use-load.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { Few } from '../../ui/few.tsx'
import { formatDateTime, formatDuration } from '../../ui/format.ts'
import { KeyBadge } from '../../ui/key-state.tsx'
import { Empty, Problem, Shown } from '../../ui/notice.tsx'
import { SessionTable, When } from '../../ui/session-table.tsx'
import { BalanceStats } from '../../ui/stats.tsx'
import { Table } from '../../ui/table.tsx'
import { AccountActions } from './account-actions.tsx'
import { InvitationDialog } from './invitation.tsx'

export function Account(): JSX.Element {
  const { id = '' } = useParams()
  const account = useLoad<AccountDetail>(`/operator/accounts/${id}`)
  return (
    <Page
      title={account.data?.name ?? 'Account'}
      actions={
        account.data && (
          <span class={account.data.active ? 'badge good' : 'badge bad'}>
            {account.data.active ? 'Active' : 'Inactive'}
          </span>
        )
      }
    >
      <p class="small">
        <a href="/operator/accounts">All accounts</a> <span class="muted mono">· {id}</span>
      </p>
      <Shown of={account}>{data => <Whole account={data} reload={account.reload} />}</Shown>
    </Page>
  )
}

function Whole({ account, reload }: { account: AccountDetail; reload: () => void }): JSX.Element {
  return (
    <>
      <BalanceStats balance={account} />
      <AccountActions account={account} onChange={reload} />
      <section class="card" aria-labelledby="people-title">
        <h2 id="people-title">People</h2>
        {account.users.length === 0 ? (
          <Empty title="Nobody can sign in to this account">
            It was created on the command line, or its members have left.
          </Empty>
        ) : (
          account.users.map(user => <Person key={user.id} user={user} />)
        )}
      </section>
      <section class="card" aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <Few rows={account.keys} what="keys">
          {keys => <Keys keys={keys} />}
        </Few>
      </section>
      <section class="card" aria-labelledby="ledger-title">
        <h2 id="ledger-title">Ledger</h2>
        <Few rows={account.entries} what="entries">
          {entries => <Ledger entries={entries} />}
        </Few>
      </section>
      <section class="card" aria-labelledby="sessions-title">
        <h2 id="sessions-title">Recent sessions</h2>
        <Few rows={account.recent_sessions} what="sessions">
          {sessions => <SessionTable sessions={sessions} />}
        </Few>
      </section>
    </>
  )
}

function Person({ user }: { user: AccountUser }): JSX.Element {
  const [invitation, setInvitation] = useState<Invitation>()
  const submission = useSubmit(async () =>
    setInvitation(await post<Invitation>(`/operator/users/${user.id}/password-link`)),
  )
  return (
    <div class="row apart person">
      <div>
        <strong>{user.name}</strong> <span class="muted">{user.email}</span>
        <div class="small muted">
          {user.has_password ? 'Password set' : 'No password yet'} ·{' '}
          {user.last_sign_in_at === null ? (
            'not signed in yet'
          ) : (
            <>last signed in {formatDateTime(user.last_sign_in_at)}</>
          )}
        </div>
      </div>
      <button
        type="button"
        class="button quiet small"
        aria-disabled={submission.busy}
        onClick={submission.run}
      >
        Create password link
      </button>
      {submission.error !== undefined && <Problem error={submission.error} />}
      {invitation !== undefined && (
        <InvitationDialog invitation={invitation} onClose={() => setInvitation(undefined)} />
      )}
    </div>
  )
}

function Keys({ keys }: { keys: readonly ApiKeyView[] }): JSX.Element {
  return (
    <Table heads={['Name', 'Prefix', 'Status', { text: 'Last used', right: true }]}>
      {keys.map(key => (
        <tr key={key.id}>
          <td class="head">{key.name || 'Unnamed'}</td>
          <td data-label="Prefix" class="wide">
            <span class="mono">{key.prefix}…</span>
          </td>
          <td class="act">
            <KeyBadge view={key} />
          </td>
          <td data-label="Last used" class="number right">
            {key.last_used_at === null ? 'Never' : <When at={key.last_used_at} />}
          </td>
        </tr>
      ))}
    </Table>
  )
}

const KINDS: Record<string, string> = {
  grant: 'Granted',
  reserve: 'Reserved for a session',
  settle: 'Session ended and billed',
  release: 'Session ended, nothing billed',
}

function Ledger({ entries }: { entries: readonly LedgerEntryView[] }): JSX.Element {
  return (
    <Table
      heads={[
        'Time',
        'Entry',
        'Note or session',
        { text: 'Billed', right: true },
        { text: 'Amount', right: true },
        { text: 'Balance', right: true },
      ]}
    >
      {entries.map(entry => (
        <tr key={entry.id}>
          <td data-label="Time" class="number">
            {formatDateTime(entry.created_at)}
          </td>
          <td class="head">{KINDS[entry.kind] ?? entry.kind}</td>
          <td data-label={entry.note === null ? 'Session' : 'Note'}>
            {entry.note ?? <span class="mono">{entry.session_id?.slice(0, 8)}</span>}
          </td>
          <td data-label="Billed" class="number right">
            {entry.billed_ms === 0 ? '' : formatDuration(entry.billed_ms)}
          </td>
          <td class={entry.amount_ms > 0 ? 'act number right plus' : 'act number right'}>
            {formatSigned(entry.amount_ms)}
          </td>
          <td data-label="Balance" class="number right">
            {formatDuration(entry.balance_ms)}
          </td>
        </tr>
      ))}
    </Table>
  )
}

function formatSigned(ms: number): string {
  if (ms === 0) return formatDuration(0)
  return ms > 0 ? `+${formatDuration(ms)}` : `−${formatDuration(-ms)}`
}
