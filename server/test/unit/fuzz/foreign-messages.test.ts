// Any message and any query of the foreign protocols: understood, or refused with an error of the table.

import { randomUUID } from 'node:crypto'
import { ServiceError } from '@sauti/protocol/errors'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DeepgramDialect } from '#server/stream/wires/deepgram/dialect.js'
import { readLiveOptions } from '#server/stream/wires/deepgram/live-options.js'
import { OpenAiDialect } from '#server/stream/wires/openai/dialect.js'
import { ModelChoice } from '#server/stream/wires/openai/model-choice.js'
import { Dice, FUZZ_TIMEOUT_MS, fuzz } from '../../support/fuzzing.ts'
import { deepgramTalk, openAiTalk, type Talk } from '../../support/streams/foreign-talk.ts'

const clocks = { clock: () => new Date(0), monotonicMs: () => 0 }
const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 })
/** Said among what the talks say. */
const anything = fc.array(
  fc.oneof(
    fc.string(),
    fc.json(),
    fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
  ),
  { maxLength: 6 },
)

/** Undefined where it was refused. */
function attempt<T>(step: () => T): T | undefined {
  try {
    return step()
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError)
    return undefined
  }
}

function sayAll(
  dialect: Pick<DeepgramDialect | OpenAiDialect, 'parse'>,
  { messages }: Talk,
  more: readonly (string | Buffer)[],
): void {
  for (const message of [...messages, ...more]) {
    const requests = attempt(() => dialect.parse(Buffer.from(message as string), Buffer.isBuffer(message)))
    for (const request of requests ?? []) expect(request.type).toEqual(expect.any(String))
  }
}

it(
  "Deepgram's",
  async () => {
    const count = await fuzz(
      fc.property(seeds, anything, fc.webQueryParameters(), (seed, more, extra) => {
        const talk = deepgramTalk(new Dice(seed), 'key')
        const query = new URLSearchParams(`${talk.path.split('?')[1]}&${extra}`)
        const options = attempt(() => readLiveOptions(query))
        if (options) sayAll(new DeepgramDialect({ options, ...clocks }), talk, more)
      }),
    )
    expect(count).toBeGreaterThan(0)
  },
  FUZZ_TIMEOUT_MS,
)

it(
  "OpenAI's",
  async () => {
    const count = await fuzz(
      fc.property(seeds, anything, (seed, more) => {
        const choice = new ModelChoice(seed % 2 === 0 ? 'svc-asr-kikuyu-v1' : undefined)
        sayAll(new OpenAiDialect({ choice, newId: randomUUID }), openAiTalk(new Dice(seed), 'key'), more)
        choice.giveUp()
      }),
    )
    expect(count).toBeGreaterThan(0)
  },
  FUZZ_TIMEOUT_MS,
)
