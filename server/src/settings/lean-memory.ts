// How a process starts that is to hold little memory. The C library and V8 read this before the first line of our code, so it is for whoever
// starts the service: the image, the systemd unit, the quickstart and the benchmarks.

export const LEAN_MEMORY = {
  /** One pool of the C library for all threads: several hold memory that nobody uses. */
  MALLOC_ARENA_MAX: '1',
  /**
   * In bytes. Pieces of this size go back to the system as soon as they are free. If it is not set, the C library raises the limit to the
   * largest piece that was freed, up to 32 MB, and holds what is below it.
   */
  MALLOC_MMAP_THRESHOLD_: '1048576',
  /**
   * In MB. Two of these hold the new objects of a thread, 16 each unless it is set, and once in use they stay. It also replaces the limit
   * of the database's thread. With 2, 4, 8 and 16 the same sessions took the same CPU time.
   */
  NODE_OPTIONS: '--max-semi-space-size=4',
} as const
