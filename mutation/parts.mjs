// What is changed, part by part: a source with the tests that run it, or the functions of the ledger with their rules. Each part has a key,
// a hash of everything that its result depends on, so that a result is kept exactly as long as it is true.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../scripts/run.mjs'
import { followImports } from './imports.mjs'

const SOURCES = [
  'protocol/src/audio.ts',
  'protocol/src/stream.ts',
  'server/src/accounts/api-key.ts',
  'server/src/sessions/credential.ts',
  'server/src/sessions/lifecycle.ts',
  'server/src/stream/connection/connection-state.ts',
  'server/src/stream/conversation/endpointer.ts',
  'server/src/stream/conversation/endpointing.ts',
  'server/src/stream/conversation/gate.ts',
  'server/src/stream/conversation/meter.ts',
  'server/src/stream/conversation/noise-level.ts',
  'server/src/stream/conversation/stream-config.ts',
  'server/src/stream/settlement/journal.ts',
  'server/src/stream/socket/fifo.ts',
  'server/src/stream/socket/inbox.ts',
  'server/src/stream/socket/outbox.ts',
  'server/src/foreign/find-model.ts',
  'server/src/foreign/phrases.ts',
  'server/src/foreign/deepgram/alternative.ts',
  'server/src/foreign/deepgram/options.ts',
  'server/src/stream/wires/sauti/dialect.ts',
  'server/src/stream/wires/deepgram/dialect.ts',
  'server/src/stream/wires/deepgram/errors.ts',
  'server/src/stream/wires/deepgram/live-options.ts',
  'server/src/stream/wires/deepgram/messages.ts',
  'server/src/stream/wires/deepgram/utterance-end.ts',
  'server/src/stream/wires/openai/client-events.ts',
  'server/src/stream/wires/openai/dialect.ts',
  'server/src/stream/wires/openai/errors.ts',
  'server/src/stream/wires/openai/messages.ts',
  'server/src/stream/wires/openai/model-choice.ts',
  'server/src/stream/wires/openai/session.ts',
]

/** Tests that start nothing, so that most of them cost milliseconds. */
const TESTS = [
  'protocol/test/unit/audio.test.ts',
  'protocol/test/unit/stream.test.ts',
  'protocol/test/unit/stream-config.test.ts',
  'server/test/unit/api-key.test.ts',
  'server/test/unit/credential.test.ts',
  'server/test/unit/find-model.test.ts',
  'server/test/unit/lifecycle.test.ts',
  'server/test/unit/stream/connection-state.test.ts',
  'server/test/unit/stream/endpointing.test.ts',
  'server/test/unit/stream/fifo.test.ts',
  'server/test/unit/stream/gate.test.ts',
  'server/test/unit/stream/inbox.test.ts',
  'server/test/unit/stream/journal.test.ts',
  'server/test/unit/stream/meter.test.ts',
  'server/test/unit/stream/outbox.test.ts',
  'server/test/unit/stream/stream-config.test.ts',
  'server/test/unit/stream/utterance-end.test.ts',
  'server/test/unit/stream/wires/deepgram-dialect.test.ts',
  'server/test/unit/stream/wires/deepgram-options.test.ts',
  'server/test/unit/stream/wires/openai-client-events.test.ts',
  'server/test/unit/stream/wires/openai-dialect.test.ts',
  'server/test/unit/stream/wires/openai-session.test.ts',
  'server/test/unit/stream/wires/sauti-dialect.test.ts',
]

const OUR_MUTATOR = 'server/test/mutation/run.ts'
const TOOLS = [
  'mutation/stryker.config.json',
  'mutation/vitest.config.ts',
  'mutation/package-lock.json',
  'server/test/mutation/vitest.config.ts',
]

export function listParts() {
  const reaches = new Map(TESTS.map(test => [test, followImports([test])]))
  return [sqlPart(), ...SOURCES.map(source => sourcePart(source, reaches))]
}

function sqlPart() {
  const migrations = readdirSync(join(ROOT, 'server/migrations')).map(name => `server/migrations/${name}`)
  return { name: 'sql', tests: [], key: hashFiles([...followImports([OUR_MUTATOR]), ...migrations]) }
}

function sourcePart(source, reaches) {
  const tests = TESTS.filter(test => reaches.get(test).has(source))
  return { name: source, tests, key: hashFiles(tests.flatMap(test => [...reaches.get(test)])) }
}

function hashFiles(files) {
  const hash = createHash('sha256')
  for (const file of [...new Set([...files, ...TOOLS])].sort()) {
    hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)))
  }
  return hash.digest('hex').slice(0, 16)
}
