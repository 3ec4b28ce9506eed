// What operators did, newest first.

import type { AuditEntry } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { Page } from '../../app/frames.tsx'
import { formatDateTime, formatDuration } from '../../ui/format.ts'
import { Empty } from '../../ui/notice.tsx'
import { Listed, usePages } from '../../ui/pager.tsx'
import { Table } from '../../ui/table.tsx'

/** In words; a test compares it with what the service records. */
export const ACTIONS: Readonly<Record<string, string>> = {
  'application.approve': 'Approved a request',
  'application.decline': 'Declined a request',
  'account.create': 'Created an account',
  'account.activate': 'Activated an account',
  'account.deactivate': 'Deactivated an account',
  'account.set_concurrency': 'Changed the concurrency limit',
  'credit.grant': 'Granted credit',
  'credit.dismiss': 'Dismissed a credit request',
  'credit.request': 'Asked for credit',
  'member.invite': 'Invited someone',
  'member.remove': 'Removed someone',
  'user.password_link': 'Created a password link',
  'one_time_codes.disable': 'Turned off one-time codes',
  'one_time_codes.enable': 'Turned on one-time codes',
  'one_time_codes.reset': 'Reset someone’s one-time codes',
  'operator.create': 'Added an operator',
  'operator.remove': 'Removed an operator',
  'operator.set_role': 'Changed an operator’s role',
  'person.delete': 'Deleted their sign-in and data',
  'person.rename': 'Changed their name',
  'application.submit': 'Asked to join',
  'application.withdraw': 'Withdrew a request',
  'key.create': 'Created a key',
  'key.revoke': 'Revoked a key',
  'key.rotate': 'Rotated a key',
  'key.update': 'Changed a key',
  'passkey.add': 'Added a passkey',
  'passkey.remove': 'Removed a passkey',
  'password.change': 'Changed their password',
  'password.request_link': 'Asked for a password link',
  'password.set': 'Set a password',
  'sign_in.start': 'Signed in',
  'sign_in.end': 'Signed out',
  'sign_in.end_all': 'Ended all sign-ins',
  'sign_in.refuse': 'Sign-in refused',
}

/** Who is no person. */
const ACTORS: Record<string, string> = { visitor: 'Visitor', 'command line': 'Command line' }

export function Audit(): JSX.Element {
  const pages = usePages<AuditEntry>('/operator/audit')
  return (
    <Page title="Audit log">
      <section class="card" aria-label="Entries">
        <Listed pages={pages} empty={<Empty title="No actions yet" />}>
          {entries => <AuditTable entries={entries} />}
        </Listed>
      </section>
      <p class="small muted">
        Entries are saved with the action and cannot be edited. When a person deletes their data, only their
        address is removed.
      </p>
    </Page>
  )
}

function AuditTable({ entries }: { entries: readonly AuditEntry[] }): JSX.Element {
  return (
    <Table heads={['Time', 'Person', 'Action', 'Target', 'Details']}>
      {entries.map(entry => (
        <tr key={entry.id}>
          <td data-label="Time" class="number">
            {formatDateTime(entry.at)}
          </td>
          <td data-label="Person" class="mail">
            {ACTORS[entry.operator] ?? entry.operator}
          </td>
          <td class="head">{ACTIONS[entry.action] ?? entry.action}</td>
          <td data-label="Target" class="mail">
            <Target entry={entry} />
          </td>
          <td>{describeDetails(entry.details)}</td>
        </tr>
      ))}
    </Table>
  )
}

const isId = (target: string) => /^[0-9a-f]{8}-/.test(target)

/** An account, one of its keys or people, with a link to the account; or an email address. */
function Target({ entry }: { entry: AuditEntry }): JSX.Element {
  const { target, target_name: name, target_account_id: accountId } = entry
  if (target === null) return <span>–</span>
  const shown = name || (isId(target) ? target.slice(0, 8) : target)
  return accountId === null ? <span>{shown}</span> : <a href={`/operator/accounts/${accountId}`}>{shown}</a>
}

const IN_WORDS: Record<string, (value: unknown) => string> = {
  seconds: value => formatDuration(Number(value) * 1000),
  credit_seconds: value => `starting credit: ${formatDuration(Number(value) * 1000)}`,
  concurrency_limit: value => `new limit: ${value}`,
  note: value => `“${value}”`,
  account_id: () => '',
}

function describeDetails(details: AuditEntry['details']): string {
  const parts = Object.entries(details).map(([name, value]) => {
    const inWords = IN_WORDS[name]
    return inWords === undefined ? `${name.replaceAll('_', ' ')}: ${String(value)}` : inWords(value)
  })
  const text = parts.filter(part => part !== '').join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
