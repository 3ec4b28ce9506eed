// What PostgreSQL's other processes do beside many backends. Beside a single one there is no checkpointer and no autovacuum: without these the log
// would grow without limit.

const MINUTE_MS = 60_000
const MINUTES_BETWEEN_VACUUMS = 60

/** Not only after the first hour: a service that is started anew more often than that would never clean up. */
const MINUTES_BEFORE_THE_FIRST_VACUUM = 5

/**
 * Once a minute: a checkpoint where something was made durable since the last one, which `countSyncs` tells, and now and then a vacuum. `run` tells
 * whether it could; what it could not do, because a transaction was open, it is asked again a minute later.
 */
export function maintain(run: (sql: string) => boolean, countSyncs: () => number): NodeJS.Timeout {
  let syncsBefore = countSyncs()
  let minutesToVacuum = MINUTES_BEFORE_THE_FIRST_VACUUM
  return setInterval(() => {
    if (countSyncs() !== syncsBefore && run('CHECKPOINT')) syncsBefore = countSyncs()
    minutesToVacuum--
    if (minutesToVacuum <= 0 && run('VACUUM (ANALYZE)')) minutesToVacuum = MINUTES_BETWEEN_VACUUMS
  }, MINUTE_MS)
}
