// All accounts, newest first, with a search.

import type { AccountRow, Invitation } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Page } from '../../app/frames.tsx'
import { formatDate, formatDuration } from '../../ui/format.ts'
import { Empty } from '../../ui/notice.tsx'
import { Listed, usePages } from '../../ui/pager.tsx'
import { Table } from '../../ui/table.tsx'
import { InvitationDialog } from './invitation.tsx'
import { CreateAccount } from './invite.tsx'

const TYPING_PAUSE_MS = 250

export function Accounts(): JSX.Element {
  const [text, setText] = useState('')
  const [creating, setCreating] = useState(false)
  const [invitation, setInvitation] = useState<Invitation>()
  const search = useSettled(text, TYPING_PAUSE_MS)
  const pages = usePages<AccountRow>(`/operator/accounts?q=${encodeURIComponent(search)}`)
  const close = () => setCreating(false)
  const invited = (made: Invitation) => {
    close()
    setInvitation(made)
    pages.reload()
  }
  return (
    <Page
      title="Accounts"
      actions={
        <button type="button" class="button" onClick={() => setCreating(true)}>
          Create account
        </button>
      }
    >
      <input
        class="input search"
        type="search"
        placeholder="Name, email or account ID"
        aria-label="Search accounts"
        value={text}
        onInput={event => setText((event.target as HTMLInputElement).value)}
      />
      <section class="card" aria-label="Accounts">
        <Listed pages={pages} empty={<Empty title="No accounts found" />}>
          {accounts => <AccountTable accounts={accounts} />}
        </Listed>
      </section>
      {creating && <CreateAccount onClose={close} onInvited={invited} />}
      {invitation !== undefined && (
        <InvitationDialog invitation={invitation} onClose={() => setInvitation(undefined)} />
      )}
    </Page>
  )
}

function AccountTable({ accounts }: { accounts: readonly AccountRow[] }): JSX.Element {
  return (
    <Table
      heads={[
        'Account',
        'Email',
        'Status',
        { text: 'Available', right: true },
        { text: 'Used', right: true },
        { text: 'Created', right: true },
      ]}
    >
      {accounts.map(account => (
        <tr key={account.id}>
          <td class="head">
            <a href={`/operator/accounts/${account.id}`}>{account.name}</a>
          </td>
          <td class="mail">{account.email}</td>
          <td class="act">
            {account.active ? (
              <span class="badge good">Active</span>
            ) : (
              <span class="badge bad">Inactive</span>
            )}
          </td>
          <td data-label="Available" class="number right">
            {formatDuration(account.available_ms)}
          </td>
          <td data-label="Used" class="number right">
            {formatDuration(account.consumed_ms)}
          </td>
          <td data-label="Created" class="number right">
            {formatDate(account.created_at)}
          </td>
        </tr>
      ))}
    </Table>
  )
}

/** The value, once it has not changed for a while. */
function useSettled(value: string, pauseMs: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value, pauseMs])
  return settled
}
