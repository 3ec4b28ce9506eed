export interface ReplicatedPostgres {
  /** Both hosts in one address. */
  readonly url: string
  readonly primaryUrl: string
  readonly standbyUrl: string
  killPrimary(): Promise<void>
  /** As after a repair by somebody who forgot that there was a promotion: it takes writes again, on the old timeline. */
  restartOldPrimary(): Promise<void>
  promoteStandby(): Promise<void>
  stop(): Promise<void>
}

/** `options` are further ones of both servers. */
export function startReplicatedPostgres(settings?: {
  readonly options?: readonly string[]
}): Promise<ReplicatedPostgres>
