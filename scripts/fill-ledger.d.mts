interface Statements {
  query(sql: string, params?: unknown[]): Promise<unknown>
}

/** An account with this many more ended sessions of one second, all of them with this key. */
export function fillLedger(
  db: Statements & { transaction<T>(work: (tx: Statements) => Promise<T>): Promise<T> },
  holder: { readonly accountId: string; readonly apiKeyId: string },
  sessions: number,
): Promise<void>
