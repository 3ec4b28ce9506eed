// Usage of an account in a range of days, by day, model and key.

import type { UsageReport, UsageShare } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import { type Static, Type } from '@sauti/protocol/schema'
import type { FastifyInstance } from 'fastify'
import { readUsageRows, type UsageRow } from '../../../ledger/usage-report.ts'
import type { ConsoleParts } from '../parts.ts'
import { accountOf, requireMember } from '../sign-in/member.ts'
import { listDates, openZone, type ZoneClock } from './calendar.ts'

const MAX_DAYS = 366
const DAY_MS = 24 * 3600 * 1000
const CalendarDate = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
const ReportQuery = Type.Object({
  from: CalendarDate,
  to: CalendarDate,
  zone: Type.Optional(Type.String({ maxLength: 60 })),
})
type ReportQuery = Static<typeof ReportQuery>

export function serveUsageReport(app: FastifyInstance, parts: ConsoleParts): void {
  app.get<{ Querystring: ReportQuery }>(
    `${CONSOLE_API}/usage/report`,
    { schema: { querystring: ReportQuery }, onRequest: requireMember(parts) },
    async (request): Promise<UsageReport> => {
      const { from, to, zone = 'UTC' } = request.query
      const dates = listDates(from, to, MAX_DAYS)
      const clock = openZone(zone)
      if (clock === undefined || dates.length === 0)
        throw new ServiceError('invalid_parameter', {
          message: `A report covers 1 to ${MAX_DAYS} days of a known time zone.`,
        })
      const midnights = [...dates.map(date => clock.midnight(date)), dayAfter(clock, dates.at(-1)!)]
      return describe(await readUsageRows(parts.db, accountOf(request), midnights), dates, zone)
    },
  )
}

function dayAfter(clock: ZoneClock, date: string): Date {
  const next = new Date(Date.parse(`${date}T00:00:00Z`) + DAY_MS)
  return clock.midnight(next.toISOString().slice(0, 10))
}

function describe(rows: readonly UsageRow[], dates: readonly string[], zone: string): UsageReport {
  return {
    zone,
    days: dates.map((date, day) => ({ date, ...sumUp(rows.filter(row => row.day === day)) })),
    by_model: group(rows, row => row.model).map(([model, part]) => ({ model, ...sumUp(part) })),
    by_key: group(rows, row => row.keyId ?? '').map(([id, part]) => ({
      key: id === '' ? null : { id, name: part[0]?.keyName ?? '' },
      ...sumUp(part),
    })),
  }
}

function group(rows: readonly UsageRow[], keyOf: (row: UsageRow) => string): [string, UsageRow[]][] {
  const groups = new Map<string, UsageRow[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return [...groups].sort(([, a], [, b]) => sumUp(b).billable_ms - sumUp(a).billable_ms)
}

function sumUp(rows: readonly UsageRow[]): UsageShare {
  const sum = (read: (row: UsageRow) => number) => rows.reduce((total, row) => total + read(row), 0)
  return {
    audio_ms: sum(row => row.audioMs),
    billable_ms: sum(row => row.billableMs),
    sessions: sum(row => row.sessions),
  }
}
