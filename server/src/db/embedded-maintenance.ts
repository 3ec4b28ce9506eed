// What PostgreSQL's other processes do beside many backends. Beside a single one there is no checkpointer and no autovacuum: without these the log
// would grow without limit.

const MINUTE_MS = 60_000
const MINUTES_BETWEEN_CLEANINGS = 60

/** Not only after the first hour: a service that is started anew more often than that would never clean up. */
const MINUTE_OF_THE_FIRST_CLEANING = 5

/** Only of our own tables. Analysing the catalogue, too, holds the database several times as long, and it hardly ever changes. */
const ANALYZE = `DO $$
  DECLARE name regclass;
  BEGIN
    FOR name IN SELECT relid FROM pg_stat_user_tables LOOP EXECUTE 'ANALYZE ' || name; END LOOP;
  END $$`

/**
 * Once a minute: a checkpoint where something was made durable since the last one, which `countSyncs` tells, and a step of cleaning up where one is
 * due. One step a minute, because whoever asks the database for something waits meanwhile. `run` tells whether it could; what it could not do,
 * because a transaction was open, it is asked again a minute later.
 */
export function maintain(run: (sql: string) => boolean, countSyncs: () => number): NodeJS.Timeout {
  let syncsBefore = countSyncs()
  let minute = 0
  let due: readonly string[] = []
  return setInterval(() => {
    if (countSyncs() !== syncsBefore && run('CHECKPOINT')) syncsBefore = countSyncs()
    minute++
    if (minute % MINUTES_BETWEEN_CLEANINGS === MINUTE_OF_THE_FIRST_CLEANING) due = ['VACUUM', ANALYZE]
    const [step, ...rest] = due
    if (step !== undefined && run(step)) due = rest
  }, MINUTE_MS)
}
