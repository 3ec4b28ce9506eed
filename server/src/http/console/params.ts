// Identifiers and pages of lists, as they are in addresses.

import { Type } from '@sauti/protocol/schema'
import type { PageMark } from '../../db/port.ts'

export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
const MOMENT = /^[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const uuid = new RegExp(UUID_PATTERN)

export const idParams = Type.Object({ id: Type.String({ pattern: UUID_PATTERN }) })

export const pageQuery = { before: Type.Optional(Type.String({ maxLength: 80 })) }

/** `2026-01-31T12:00:00.000Z~id`; anything else begins at the newest. */
export function readMark(before: string | undefined): PageMark | undefined {
  const [moment = '', id = ''] = (before ?? '').split('~', 2)
  // The form that markOf writes, and no other: JavaScript knows dates that the database does not.
  const at = new Date(MOMENT.test(moment) ? moment : Number.NaN)
  return Number.isNaN(at.getTime()) || !uuid.test(id) ? undefined : { at, id }
}

export function markOf({ createdAt, id }: { readonly createdAt: Date; readonly id: string }): string {
  return `${createdAt.toISOString()}~${id}`
}

/** One row more than `limit` was asked for, to know whether there is a next page. */
export function cutPage<Row>(rows: readonly Row[], limit: number, mark: (row: Row) => string) {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { page, next: rows.length > limit && last !== undefined ? mark(last) : null }
}
