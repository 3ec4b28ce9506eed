// Why some changes that no test notices need no test. `place` is the end of a file's path or the name of an SQL function.

const WHICH_ROW_IS_LOCKED =
  'chooses the row that is locked; only transactions at the same moment can notice it'
const WHOLE_SECONDS = 'the amount is a whole number of seconds, so nothing lies between'

const UNREACHABLE = 'cannot be reached; the types ask for it'
const TEXT_AMONG_TIMES = 'a text among times is dropped by the next comparison'
const NO_FIELDS = 'null, numbers and texts have no field that is asked for'
const WHOLE_FRAMES = 'frames last 32 ms, so this limit is never met exactly'
const HEX_OF_A_UUID = 'the text always has 32 characters'
const WHEN_MEMORY_IS_FREED = 'decides when memory is freed; length and order stay the same'
const NO_UNDEFINED_FIELDS = 'a request that was parsed has no field that is undefined'

export const EXPLAINED = [
  { place: 'alternative.ts', change: '\'\' → "Stryker was here!"', why: UNREACHABLE },
  { place: 'find-model.ts', change: '\'\' → "Stryker was here!"', why: UNREACHABLE },
  {
    place: 'find-model.ts',
    change: 'name === undefined → false',
    why: 'no model has the name undefined, so none is found either way',
  },
  {
    place: 'stream-config.ts',
    change: 'value => value === undefined → () => undefined',
    why: NO_UNDEFINED_FIELDS,
  },
  { place: 'stream-config.ts', change: 'value === undefined → false', why: NO_UNDEFINED_FIELDS },
  {
    place: 'stream-config.ts',
    change: 'one === other → false',
    why: 'a short cut: the comparison below gives the same answer',
  },
  {
    place: 'protocol/src/stream.ts',
    change: 'context.some(',
    why: 'a list of numbers and texts is refused with the same text either way',
  },
  {
    place: 'deepgram/options.ts',
    change: 'name.slice(0, 40) → name',
    why: 'every option that is refused has a shorter name',
  },
  { place: 'endpointer.ts', change: '[] → ["Stryker was here"]', why: TEXT_AMONG_TIMES },
  { place: 'utterance-end.ts', change: '[] → ["Stryker was here"]', why: TEXT_AMONG_TIMES },
  {
    place: 'noise-level.ts',
    change: 'level <= this.#noiseDb() + ABOVE_NOISE_DB',
    why: '3 dB is no ratio of whole numbers, so no level is exactly that much louder than another',
  },
  {
    place: 'gate.ts',
    change: 'half !== undefined → true',
    why: 'without a half sample the first byte is written over by the frame',
  },
  {
    place: 'deepgram/dialect.ts',
    change: "typeof message === 'object' → true",
    why: 'numbers and texts have no type either',
  },
  {
    place: 'deepgram/errors.ts',
    change: 'ours <= FIRST_PRIVATE_CLOSE',
    why: 'no error closes with exactly 4000',
  },
  { place: 'client-events.ts', change: 'error instanceof ServiceError → true', why: UNREACHABLE },
  {
    place: 'sauti/dialect.ts',
    change: '!(error instanceof ServiceError) → false',
    why: UNREACHABLE,
  },
  { place: 'model-choice.ts', change: 'name !== undefined → true', why: 'undefined is the name of no model' },
  {
    place: 'sessions/credential.ts',
    change: '(.{12})$/ → /(.{8})',
    why: HEX_OF_A_UUID,
  },
  { place: 'sessions/credential.ts', change: '(.{12})$/ → /^(.{8})', why: HEX_OF_A_UUID },
  {
    place: 'conversation/endpointing.ts',
    change: 'this.#lastTextMs === undefined → false',
    why: 'without a time of words the comparison below is with NaN, and false',
  },
  { place: 'conversation/endpointing.ts', change: '> FRESH_START_MS', why: WHOLE_FRAMES },
  { place: 'conversation/endpointing.ts', change: '> SURE_SILENCE_MS', why: WHOLE_FRAMES },
  { place: 'fifo.ts', change: 'this.#head === this.#items.length', why: WHEN_MEMORY_IS_FREED },
  { place: 'fifo.ts', change: 'this.#head > 1024 →', why: WHEN_MEMORY_IS_FREED },
  { place: 'journal.ts', change: "typeof value === 'object'", why: NO_FIELDS },
  { place: 'journal.ts', change: 'value !== null → true', why: NO_FIELDS },
  {
    place: 'journal.ts',
    change: '{ return undefined } → {}',
    why: 'a function that returns nothing returns undefined',
  },
  {
    place: 'journal.ts',
    change: '\'\' → "Stryker was here!"',
    why: 'a line that is no record is skipped',
  },
  {
    place: 'journal.ts',
    change: '>= MAX_SETTLED_BYTES',
    why: 'a file may be one byte shorter when it starts again from empty',
  },
  {
    place: 'journal.ts',
    change: "const folder = await open(path, 'r')",
    why: 'only a machine that loses its power can notice it',
  },
  { place: 'end_session', change: '= → <>', why: WHICH_ROW_IS_LOCKED },
  { place: 'settle_session', change: '= → <>', why: WHICH_ROW_IS_LOCKED },
  { place: 'key_room_ms', change: '= → <>', why: WHICH_ROW_IS_LOCKED },
  { place: 'extend_session', change: '1000 → 1', why: WHOLE_SECONDS },
  { place: 'place_session', change: '1000 → 1', why: WHOLE_SECONDS },
  {
    place: 'key_room_ms',
    change: 'IF false THEN',
    why: 'without the early answer the sum is NULL too',
  },
  {
    place: 'place_session',
    change: 'IF true THEN',
    why: 'no row has the key NULL, so the search finds nothing',
  },
]
