export interface RunningPostgres {
  readonly url: string
  stop(): Promise<void>
}

export function startPostgres(options?: { readonly installed?: string }): Promise<RunningPostgres>

export function findFreePort(): Promise<number>
