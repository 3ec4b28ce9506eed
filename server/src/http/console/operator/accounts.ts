// For operators: find accounts, see one as a whole.

import {
  type AccountDetail,
  type AccountRow,
  type AccountRowList,
  type LedgerEntryView,
  MAX_LISTED,
  PlainText,
} from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import { type Static, Type } from '@sauti/protocol/schema'
import type { FastifyInstance } from 'fastify'
import { listKeys } from '../../../accounts/keys.ts'
import { type FoundAccount, findAccount, searchAccounts } from '../../../accounts/search.ts'
import { listMembers } from '../../../accounts/users.ts'
import { type LedgerEntry, listEntries } from '../../../ledger/entries.ts'
import { readUsage } from '../../../ledger/usage.ts'
import { describeUsage } from '../../api/read-usage.ts'
import { describeKey } from '../account/keys.ts'
import { cutPage, idParams, markOf, pageQuery, readMark } from '../params.ts'
import type { ConsoleParts } from '../parts.ts'
import { requireOperator } from '../sign-in/member.ts'

const PATH = `${CONSOLE_API}/operator/accounts`
const ListQuery = Type.Object({ ...pageQuery, q: Type.Optional(PlainText(200)) })
type ListQuery = Static<typeof ListQuery>

export function serveOperatorAccounts(app: FastifyInstance, parts: ConsoleParts): void {
  const onRequest = requireOperator(parts, 'read')
  app.get<{ Querystring: ListQuery }>(
    PATH,
    { schema: { querystring: ListQuery }, onRequest },
    async ({ query }): Promise<AccountRowList> => {
      const search = { text: query.q ?? '', before: readMark(query.before), limit: MAX_LISTED + 1 }
      const { page, next } = cutPage(await searchAccounts(parts.db, search), MAX_LISTED, markOf)
      return { data: page.map(describeRow), next }
    },
  )

  app.get<{ Params: { id: string } }>(
    `${PATH}/:id`,
    { schema: { params: idParams }, onRequest },
    async ({ params }) => readAccount(parts, params.id),
  )
}

export async function readAccount({ db, clock }: ConsoleParts, id: string): Promise<AccountDetail> {
  const account = await findAccount(db, id)
  if (!account) throw new ServiceError('record_not_found')
  const [usage, members, keys, entries] = await Promise.all([
    readUsage(db, id, clock()),
    listMembers(db, id),
    listKeys(db, id),
    listEntries(db, id, MAX_LISTED),
  ])
  const { available_ms, reserved_ms, consumed_ms, recent_sessions } = describeUsage(usage)
  return {
    ...describeSummary(account),
    created_at: account.createdAt.toISOString(),
    available_ms,
    reserved_ms,
    consumed_ms,
    users: members.map(({ id, name, email, role, hasPassword, lastSignInAt }) => ({
      id,
      name,
      email,
      role,
      has_password: hasPassword,
      last_sign_in_at: lastSignInAt?.toISOString() ?? null,
    })),
    keys: keys.reverse().map(describeKey),
    entries: entries.map(describeEntry),
    recent_sessions,
  }
}

function describeSummary({ id, name, active, concurrencyLimit }: FoundAccount) {
  return { id, name, active, concurrency_limit: concurrencyLimit }
}

function describeRow(account: FoundAccount): AccountRow {
  return {
    ...describeSummary(account),
    email: account.email,
    available_ms: account.availableMs,
    consumed_ms: account.consumedMs,
    created_at: account.createdAt.toISOString(),
  }
}

function describeEntry(entry: LedgerEntry): LedgerEntryView {
  return {
    id: String(entry.id),
    kind: entry.kind,
    amount_ms: entry.availableMs,
    billed_ms: entry.consumedMs,
    balance_ms: entry.balanceMs,
    session_id: entry.sessionId,
    note: entry.note,
    created_at: entry.createdAt.toISOString(),
  }
}
