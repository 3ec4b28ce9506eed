// Which test files share a process (see vitest.config.ts): all unit tests but those that are listed, and the service tests of some folders
// with some more. A test holds the lists to what the files do.

export const ALONE = [
  // Measure the memory of their process.
  'server/test/unit/recogniser/pool/endless.test.ts',
  'server/test/unit/stream/endpointing-properties.test.ts',
  // Collects its garbage, in a process of its own.
  'server/test/unit/deploy/lean-memory.test.ts',
  // Listen for errors that nobody catches, or replace what all files use: timers, the clock, globals, functions of libraries.
  'sdk/test/unit/client.test.ts',
  'sdk/test/unit/continuous-stream.test.ts',
  'sdk/test/unit/live-session-failures.test.ts',
  'sdk/test/unit/live-session.test.ts',
  'server/test/unit/embedded-durability.test.ts',
  'server/test/unit/embedded-maintenance.test.ts',
  'server/test/unit/faults/history.test.ts',
  'server/test/unit/private-memory.test.ts',
  'server/test/unit/recogniser/engine/flush-steps.test.ts',
  'server/test/unit/recogniser/pool/warm-up.test.ts',
  'server/test/unit/stream/journal.test.ts',
  'server/test/unit/stream/wires/openai-dialect.test.ts',
  'server/test/unit/upkeep.test.ts',
]

/** Service tests that change and count nothing but what they make themselves. Loading the service costs two seconds of CPU per file. */
export const SHARING_FOLDERS = ['console', 'http', 'ledger', 'stream/endings', 'stream/wires'].map(
  name => `server/test/service/${name}`,
)

/** Likewise, in a folder of which other files need a process for themselves. */
export const SHARING_FILES = [
  'audio-formats',
  'closing',
  'connection-cap',
  'conversation',
  'endpointing',
  'frames',
  'handshake',
  'metrics',
].map(name => `server/test/service/stream/${name}.test.ts`)
