// The interface to the database. PostgreSQL and the embedded PGlite implement it with the same SQL; only this folder
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
  /**
   * Calls `onNotice` when another process sends a notice on the channel, and when one may have been missed. Absent where no
   * other process can send one.
   */
  listen?(channel: string, onNotice: () => void): { close(): Promise<void> }
  close(): Promise<void>
}

/** The last row of a page of a list that goes backwards in time. */
export interface PageMark {
  readonly at: Date
  readonly id: string
}
