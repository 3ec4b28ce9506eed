// Runs a task again and again until it is stopped, one run at a time. A run that fails is reported, and the task simply goes on.

export interface Repetition {
  /** Resolves when the task is not running any more. */
  stop(): Promise<void>
}

export interface RepeatOptions {
  readonly intervalMs: number
  /** `failuresBefore` runs in a row have failed before this one: an outage of minutes should not fill the log with one line per second. */
  readonly onError: (error: unknown, failuresBefore: number) => void
}

export function repeat(task: () => Promise<void>, { intervalMs, onError }: RepeatOptions): Repetition {
  let running: Promise<void> | undefined
  let failures = 0

  async function runOnce(): Promise<void> {
    try {
      await task()
      failures = 0
    } catch (error) {
      onError(error, failures)
      failures += 1
    } finally {
      running = undefined
    }
  }

  const timer = setInterval(() => {
    running ??= runOnce()
  }, intervalMs)

  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
