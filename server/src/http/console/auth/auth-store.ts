// Better Auth's access to our database: its few operations as plain SQL on our own tables, so that it needs no driver of its
// own and works on PostgreSQL and the embedded database alike. Names of tables and columns come from our mapping, never
// from a request. By hand, because Better Auth's own adapters bring a second connection pool and do not know the embedded database.

import { type CleanedWhere, type CustomAdapter, createAdapterFactory } from 'better-auth/adapters'
import type { Queryable } from '../../../db/port.ts'

export function createAuthStore(db: Queryable) {
  return createAdapterFactory({
    config: {
      adapterId: 'sauti',
      adapterName: 'Sauti',
      supportsDates: true,
      supportsBooleans: true,
      supportsUUIDs: true,
      supportsNumericIds: false,
      transaction: false,
    },
    adapter: ({ getFieldName }) => operations(db, (model, field) => getFieldName({ model, field })),
  })
}

type Row = Record<string, unknown>

/** `columnOf` names the column of a field; what is sorted by comes as a field, everything else as a column. */
function operations(db: Queryable, columnOf: (model: string, field: string) => string): CustomAdapter {
  const run = (statement: Statement) => db.query<Row>(statement.text, statement.values)
  return {
    create: async ({ model, data }) => (await run(insertInto(model, data)))[0] as typeof data,
    findOne: async <T>({ model, where }: Target) =>
      ((await run(select(model, where, 1)))[0] ?? null) as T | null,
    findMany: async <T>({ model, where, limit, sortBy, offset }: ManyTarget) =>
      (await run(
        select(model, where, limit, sortBy && { ...sortBy, field: columnOf(model, sortBy.field) }, offset),
      )) as T[],
    count: async ({ model, where }) => (await run(select(model, where))).length,
    update: async <T>({ model, where, update: changes }: Target & { update: T }) =>
      ((await run(update(model, where, changes as Row)))[0] ?? null) as T | null,
    updateMany: async ({ model, where, update: changes }) =>
      (await run(update(model, where, changes))).length,
    delete: async ({ model, where }) => void (await run(deleteFrom(model, where))),
    deleteMany: async ({ model, where }) => (await run(deleteFrom(model, where))).length,
  }
}

interface Target {
  model: string
  where: CleanedWhere[]
}
interface ManyTarget {
  model: string
  where?: CleanedWhere[] | undefined
  limit?: number
  sortBy?: { field: string; direction: 'asc' | 'desc' } | undefined
  offset?: number | undefined
}

interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

function insertInto(table: string, data: Row): Statement {
  const columns = Object.keys(data)
  const places = columns.map((_, index) => `$${index + 1}`)
  return {
    text: `INSERT INTO ${name(table)} (${columns.map(name).join(', ')}) VALUES (${places.join(', ')}) RETURNING *`,
    values: Object.values(data),
  }
}

function select(
  table: string,
  where: readonly CleanedWhere[] = [],
  limit?: number,
  sortBy?: ManyTarget['sortBy'],
  offset?: number,
): Statement {
  const values: unknown[] = []
  const order = sortBy
    ? ` ORDER BY ${name(sortBy.field)} ${sortBy.direction === 'desc' ? 'DESC' : 'ASC'}`
    : ''
  const page = `${limit ? ` LIMIT ${Number(limit)}` : ''}${offset ? ` OFFSET ${Number(offset)}` : ''}`
  return { text: `SELECT * FROM ${name(table)}${conditions(where, values)}${order}${page}`, values }
}

function update(table: string, where: readonly CleanedWhere[], changes: Row): Statement {
  const values = Object.values(changes)
  const set = Object.keys(changes).map((column, index) => `${name(column)} = $${index + 1}`)
  return {
    text: `UPDATE ${name(table)} SET ${set.join(', ')}${conditions(where, values)} RETURNING *`,
    values,
  }
}

function deleteFrom(table: string, where: readonly CleanedWhere[]): Statement {
  const values: unknown[] = []
  return { text: `DELETE FROM ${name(table)}${conditions(where, values)} RETURNING id`, values }
}

const COMPARISONS: Readonly<Record<string, string>> = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
}

/** Adds the values that it compares with to `values`. Only what Better Auth uses here is known; anything else is refused. */
function conditions(where: readonly CleanedWhere[], values: unknown[]): string {
  const parts = where.map(({ field, operator = 'eq', value, connector }, index) => {
    const joint = index === 0 ? '' : connector === 'OR' ? ' OR ' : ' AND '
    return joint + condition(name(field), operator, value, values)
  })
  return parts.length === 0 ? '' : ` WHERE ${parts.join('')}`
}

function condition(column: string, operator: string, value: unknown, values: unknown[]): string {
  if (value === null) return `${column} IS ${operator === 'ne' ? 'NOT ' : ''}NULL`
  const comparison = COMPARISONS[operator]
  if (comparison === undefined && operator !== 'in') throw new Error(`no such comparison: ${operator}`)
  values.push(value)
  return comparison === undefined
    ? `${column} = ANY($${values.length})`
    : `${column} ${comparison} $${values.length}`
}

function name(identifier: string): string {
  if (!/^[a-z_]+$/.test(identifier)) throw new Error(`not a name: ${identifier}`)
  return `"${identifier}"`
}
