export interface ReplicatedPostgres {
  /** Both hosts in one address. */
  readonly url: string
  readonly primaryUrl: string
  readonly standbyUrl: string
  killPrimary(): Promise<void>
  /** As if somebody had repaired it without knowing about the promotion: it accepts writes again, on the old timeline. */
  restartOldPrimary(): Promise<void>
  promoteStandby(): Promise<void>
  stop(): Promise<void>
}

/** `options` are further ones of both servers. */
export function startReplicatedPostgres(settings?: {
  readonly options?: readonly string[]
}): Promise<ReplicatedPostgres>
