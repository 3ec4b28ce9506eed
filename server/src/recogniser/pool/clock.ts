/**
 * Milliseconds of the machine's monotonic clock. Unlike `performance.now()` it has the same zero in every process, so the service and
 * its engines can compare moments; unlike the time of day it does not jump when the machine's clock is set.
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

/** CPU time that this process has used so far. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
