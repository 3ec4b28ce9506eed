export interface PatroniCluster {
  /** Both hosts in one address. */
  readonly url: string
  /** As when its machine loses power: Patroni and PostgreSQL are gone in the same moment. */
  killLeader(): Promise<void>
  /** Resolves when Patroni has promoted the standby. */
  waitForPromotion(): Promise<void>
  /** The machine is back. Resolves when Patroni has made a synchronous standby of the former leader. */
  restartOldLeader(): Promise<void>
  /** What an operator does before maintenance; the first member leads again. */
  switchOver(): Promise<void>
  stop(): Promise<void>
}

export function startPatroni(): Promise<PatroniCluster>
