// What operators did, newest first.

import type { AuditEntry } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { Page } from '../app/frames.tsx'
import { formatDateTime, formatDuration } from '../ui/format.ts'
import { Empty } from '../ui/notice.tsx'
import { Listed, usePages } from '../ui/pager.tsx'
import { Table } from '../ui/table.tsx'

const ACTIONS: Record<string, string> = {
  'application.approve': 'approved a request',
  'application.decline': 'declined a request',
  'account.activate': 'activated an account',
  'account.deactivate': 'deactivated an account',
  'account.set_concurrency': 'changed sessions at once',
  'credit.grant': 'granted credit',
  'user.password_link': 'made a password link',
  'operator.create': 'made an operator',
  'person.delete': 'deleted their sign-in and data',
}

export function Audit(): JSX.Element {
  const pages = usePages<AuditEntry>('/operator/audit')
  return (
    <Page title="Audit log">
      <section class="card" aria-label="Entries">
        <Listed pages={pages} empty={<Empty title="Nothing has been done yet" />}>
          {entries => <AuditTable entries={entries} />}
        </Listed>
      </section>
      <p class="small muted">
        Entries are written together with the deed and can be neither changed nor deleted. Of somebody who
        left, only the address is taken out.
      </p>
    </Page>
  )
}

function AuditTable({ entries }: { entries: readonly AuditEntry[] }): JSX.Element {
  return (
    <Table heads={['When', 'By', 'What', 'To whom', 'Details']}>
      {entries.map(entry => (
        <tr key={entry.id}>
          <td data-label="When" class="number">
            {formatDateTime(entry.at)}
          </td>
          <td data-label="By" class="mail">
            {entry.operator}
          </td>
          <td class="head">{ACTIONS[entry.action] ?? entry.action}</td>
          <td data-label="To whom" class="mail">
            <Target target={entry.target} />
          </td>
          <td>{describeDetails(entry.details)}</td>
        </tr>
      ))}
    </Table>
  )
}

function Target({ target }: { target: string | null }): JSX.Element {
  if (target === null) return <span>–</span>
  const isAccount = /^[0-9a-f]{8}-/.test(target)
  return isAccount ? (
    <a class="mono" href={`/operator/accounts/${target}`}>
      {target.slice(0, 8)}
    </a>
  ) : (
    <span>{target}</span>
  )
}

const IN_WORDS: Record<string, (value: unknown) => string> = {
  seconds: value => formatDuration(Number(value) * 1000),
  credit_seconds: value => `${formatDuration(Number(value) * 1000)} to begin with`,
  concurrency_limit: value => `now ${value}`,
  note: value => `“${value}”`,
  account_id: () => '',
}

function describeDetails(details: AuditEntry['details']): string {
  const parts = Object.entries(details).map(([name, value]) => {
    const inWords = IN_WORDS[name]
    return inWords === undefined ? `${name.replaceAll('_', ' ')}: ${String(value)}` : inWords(value)
  })
  return parts.filter(part => part !== '').join(', ')
}
