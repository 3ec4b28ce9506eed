// Runs a task again and again until it is stopped, one at a time. A task that fails is logged and simply tried again.

import type { Logger } from 'pino'

export interface Repetition {
  /** Resolves when the task is not running any more. */
  stop(): Promise<void>
}

export function repeat(name: string, intervalMs: number, task: () => Promise<void>, log: Logger): Repetition {
  let running: Promise<void> = Promise.resolve()
  let failedBefore = false
  let isRunning = false

  async function runOnce(): Promise<void> {
    isRunning = true
    try {
      await task()
      failedBefore = false
    } catch (error) {
      // An outage of minutes is one line, not one a second.
      if (!failedBefore) log.warn({ err: error, task: name }, 'task failed, will be tried again')
      failedBefore = true
    } finally {
      isRunning = false
    }
  }

  const timer = setInterval(() => {
    if (!isRunning) running = runOnce()
  }, intervalMs)

  return {
    stop() {
      clearInterval(timer)
      return running
    },
  }
}
