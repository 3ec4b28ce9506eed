// Which tables a backup holds, in the order in which their rows can be inserted again: read from the database itself, so that a new
// table is never forgotten.

import type { Queryable } from '../port.ts'

/** About the processes that run now, not about anybody's money or keys. */
const OF_THE_MOMENT = ['schema_migrations', 'nodes', 'request_counts']

export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** Columns that the database numbers itself. */
  readonly identities: readonly string[]
  /** A row may name another row of the same table, so all of them must be inserted at once. */
  readonly refersToItself: boolean
}

interface Reference {
  readonly from: string
  readonly to: string
}

/** Referenced tables come before those that refer to them. */
export async function listTables(db: Queryable): Promise<Table[]> {
  const tables = await db.query<Table>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns,
            coalesce(array_agg(a.attname::text) FILTER (WHERE a.attidentity <> ''), '{}') AS identities,
            EXISTS (SELECT FROM pg_constraint k WHERE k.contype = 'f' AND k.conrelid = c.oid AND k.confrelid = c.oid)
              AS "refersToItself"
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname <> ALL ($1)
     GROUP BY c.oid, c.relname ORDER BY c.relname`,
    [OF_THE_MOMENT],
  )
  const references = await db.query<Reference>(
    `SELECT DISTINCT f.relname AS from, t.relname AS to
     FROM pg_constraint k JOIN pg_class f ON f.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
     WHERE k.contype = 'f' AND k.conrelid <> k.confrelid`,
  )
  return inOrder(tables, references)
}

function inOrder(tables: readonly Table[], references: readonly Reference[]): Table[] {
  const ordered: Table[] = []
  const isPlaced = (name: string) => ordered.some(table => table.name === name)
  while (ordered.length < tables.length) {
    const next = tables.find(
      ({ name }) =>
        !isPlaced(name) && references.every(({ from, to }) => from !== name || to === name || isPlaced(to)),
    )
    if (!next) throw new Error('the tables refer to each other in a circle')
    ordered.push(next)
  }
  return ordered
}

/** What was applied to the database when the backup was made. */
export interface AppliedMigration {
  readonly number: number
  readonly name: string
  readonly checksum: string
}

export function listMigrations(db: Queryable): Promise<AppliedMigration[]> {
  return db.query<AppliedMigration>('SELECT number, name, checksum FROM schema_migrations ORDER BY number')
}
