export interface RunningPostgres {
  /** Of the database `postgres`. */
  readonly url: string
  readonly port: number
  /** Ends it without a word to its clients, and starts it again with the same data. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export function startPostgres(settings?: {
  readonly installed?: string
  readonly options?: readonly string[]
}): Promise<RunningPostgres>

/** Who runs what refuses to run as root; undefined where nobody is root. */
export function chooseUser(): { uid: number; gid: number } | undefined
export function findFreePort(): Promise<number>
