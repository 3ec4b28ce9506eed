import type { ChildProcess } from 'node:child_process'

export interface ServiceProcess {
  readonly port: number
  /** The certificate of its local authority. */
  readonly ca: string
  readonly child: ChildProcess
  /** Sends a signal and waits for the end; the exit code, or null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

export interface StartingNode {
  readonly url: string
  readonly starting: Promise<ServiceProcess>
  /** Removes its data folder. */
  remove(): void
}

export function startServiceProcess(
  env: Readonly<Record<string, string>>,
  killAfterMs?: number,
): Promise<ServiceProcess>

export function startNodeProcess(
  shared: Readonly<Record<string, string>>,
  own?: Readonly<Record<string, string>>,
): Promise<StartingNode>

export function failToStart(env: Readonly<Record<string, string>>): Promise<{ code: number; said: string }>
