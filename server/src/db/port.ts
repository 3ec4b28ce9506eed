// The narrow door to the database. PostgreSQL and the embedded PGlite stand behind it with the same SQL; only this folder
// knows either of them.

export type Params = readonly unknown[]

/** Runs one statement. int8 comes back as number (amounts are milliseconds, far below 2^53), timestamptz as Date. */
export interface Queryable {
  query<Row = Record<string, unknown>>(sql: string, params?: Params): Promise<Row[]>
}

/** An open transaction. A function that takes one first runs inside the caller's transaction. */
export interface Tx extends Queryable {
  readonly isTransaction: true
}

export interface Database extends Queryable {
  /** Runs `work` in one READ COMMITTED transaction: commits when it resolves, rolls back when it throws. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The last row of a page of a list that goes backwards in time. */
export interface PageMark {
  readonly at: Date
  readonly id: string
}

/** SQLSTATE of what a constraint refused, with the constraint's name. */
export interface ConstraintViolation {
  readonly sqlState: '23505' | '23514' | '23503'
  readonly constraint: string
}

export function constraintViolation(error: unknown): ConstraintViolation | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, constraint } = error as Error & { code?: string; constraint?: string }
  if (code !== '23505' && code !== '23514' && code !== '23503') return undefined
  return { sqlState: code, constraint: constraint ?? '' }
}
