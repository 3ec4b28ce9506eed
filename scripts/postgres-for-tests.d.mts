export interface RunningPostgres {
  /** Of the database `postgres`. */
  readonly url: string
  readonly port: number
  /** Kills it without closing connections, and starts it again with the same data. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export function startPostgres(settings?: {
  readonly installed?: string | undefined
  readonly options?: readonly string[]
}): Promise<RunningPostgres>

/** The user that runs programs which refuse to run as root; undefined where we are not root. */
export function chooseUser(): { uid: number; gid: number } | undefined
export function findFreePort(): Promise<number>
