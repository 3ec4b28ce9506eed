// Files in one call, with forms, options and sounds that are right, nearly right and wrong: a transcript or a refusal, never a fault of
// ours, and every reservation is given back or paid.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { Dice, FUZZ_SEED, FUZZ_TIMEOUT_MS, fuzzSeeds } from '../../support/fuzzing.ts'
import { expectAllSettled } from '../../support/service/all-settled.ts'
import { type Customer, createCustomer } from '../../support/service/customer.ts'
import { encodeForm } from '../../support/service/forms.ts'
import { type Answer, ask } from '../../support/service/https.ts'
import { startTestService, type TestService } from '../../support/service/service.ts'
import { makeSilentWav } from '../../support/service/transcriptions.ts'

const AT_ONCE = 2
const CALLS_IN_CHECK = 30
/** 503 is a service that is too busy; a fault would be in its log. */
const ANSWERS = [200, 400, 402, 404, 413, 415, 429, 503]
/** How files of the formats begin that are decoded, and of one that is not. */
const BEGINNINGS = [
  'fLaC',
  'OggS\0\x02',
  'ID3\x04\0',
  '\xff\xfb\x90\0',
  '\0\0\0\x20ftypM4A ',
  '\x1aE\xdf\xa3',
  'RIFF',
  'RIFX',
  '\xff\xf1',
  'PK',
]
const VALUES = [
  'svc-asr-kikuyu-v1',
  'whisper-1',
  'ki',
  'luo',
  'json',
  'srt',
  'verbose_json',
  'word',
  '0',
  'true',
  '',
  '\0',
  '\ud800',
  'x'.repeat(2_000),
]
const FIELDS = [
  'model',
  'language',
  'response_format',
  'timestamp_granularities[]',
  'prompt',
  'temperature',
  'stream',
  'nonsense',
  'file',
]

let service: TestService
let customer: Customer
beforeAll(async () => {
  service = await startTestService({ env: { SAUTI_SESSION_CREATIONS_PER_MINUTE: '1000000' } })
  customer = await createCustomer(service.database, new Date(), { creditMs: 1e12, concurrency: 100 })
})
afterAll(() => service.stop())

it(
  'no file, form or option causes an internal error',
  async () => {
    const seeds = fuzzSeeds(CALLS_IN_CHECK)
    const statuses = new Map<number, number>()
    let calls = 0
    async function callOn(): Promise<void> {
      for (const seed of seeds) {
        const { status, body } = await call(new Dice(seed)).catch(cause => {
          throw new Error(`seed ${seed}`, { cause })
        })
        calls += 1
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        expect(ANSWERS, `seed ${seed}: ${status} ${body}`).toContain(status)
        if (status !== 200) expect(messageOf(body), `seed ${seed}: ${body}`).toEqual(expect.any(String))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, callOn))
    process.stdout.write(
      `${JSON.stringify({ seed: FUZZ_SEED, calls, statuses: Object.fromEntries(statuses) })}\n`,
    )
    expect((statuses.get(200) ?? 0) + (statuses.get(503) ?? 0)).toBeGreaterThan(0)
    await expectAllSettled(service)
  },
  FUZZ_TIMEOUT_MS,
)

it('a form that breaks off inside a file is refused', async () => {
  for (const name of ['file', 'another']) {
    const { contentType, body } = await encodeForm({
      model: 'svc-asr-kikuyu-v1',
      [name]: makeSilentWav(8_000),
    })
    const { status } = await ask(`${service.baseUrl}/v1/audio/transcriptions`, {
      method: 'POST',
      agent: service.agent,
      headers: { authorization: `Bearer ${customer.key}`, 'content-type': contentType },
      body: body.subarray(0, 8_000),
    })
    expect(status).toBe(400)
  }
})

/** In the form of either interface. */
function messageOf(body: string): unknown {
  const { error, err_msg } = JSON.parse(body)
  return error?.message ?? err_msg
}

function call(dice: Dice): Promise<Answer> {
  return dice.roll(2) === 0 ? callOpenAi(dice) : callDeepgram(dice)
}

async function callOpenAi(dice: Dice): Promise<Answer> {
  const fields: Record<string, string | string[] | Buffer> = {
    model: 'svc-asr-kikuyu-v1',
    file: makeFile(dice),
  }
  for (let more = dice.roll(3); more > 0; more--) {
    const [name, value] = [dice.pick(FIELDS), dice.pick(VALUES)]
    fields[name] = dice.roll(4) === 0 ? [value, dice.pick(VALUES)] : value
  }
  if (dice.roll(8) === 0) delete fields[dice.pick(FIELDS)]
  const { contentType, body } = await encodeForm(fields)
  const isDamaged = dice.roll(4) === 0
  return ask(`${service.baseUrl}/v1/audio/transcriptions`, {
    method: 'POST',
    agent: service.agent,
    headers: {
      authorization: `Bearer ${customer.key}`,
      'content-type':
        dice.roll(12) === 0
          ? dice.pick(['multipart/form-data', 'text/plain', 'multipart/form-data; boundary=x'])
          : contentType,
    },
    body: isDamaged ? damage(dice, body) : body,
  })
}

function callDeepgram(dice: Dice): Promise<Answer> {
  const query = new URLSearchParams({ language: dice.roll(8) === 0 ? dice.pick(VALUES) : 'ki' })
  if (dice.roll(3) === 0)
    query.append(dice.pick(['utterances', 'diarize', 'encoding', 'keyterm', 'x']), dice.pick(VALUES))
  return ask(`${service.baseUrl}/v1/listen?${query}`, {
    method: 'POST',
    agent: service.agent,
    headers: {
      authorization: `Token ${customer.key}`,
      'content-type': dice.pick([
        'audio/wav',
        'audio/*',
        'application/octet-stream',
        'application/json',
        'text/plain',
      ]),
    },
    body: makeFile(dice),
  })
}

/** A sound, a damaged one, or what only begins like one. */
function makeFile(dice: Dice): Buffer {
  const wav = makeSilentWav(dice.roll(16_000))
  switch (dice.roll(4)) {
    case 0:
      return Buffer.concat([Buffer.from(dice.pick(BEGINNINGS), 'latin1'), dice.bytes(dice.roll(4_000))])
    case 1:
      return Buffer.concat([damage(dice, wav.subarray(0, 44)), wav.subarray(44)])
    case 2:
      return damage(dice, wav)
    default:
      return wav
  }
}

/** Bytes changed, cut off, repeated or put in between. */
function damage(dice: Dice, whole: Buffer): Buffer {
  const at = dice.roll(whole.length + 1)
  switch (dice.roll(4)) {
    case 0:
      return whole.subarray(0, at)
    case 1:
      return Buffer.concat([whole, whole.subarray(at)])
    case 2:
      return Buffer.concat([whole.subarray(0, at), dice.bytes(1 + dice.roll(30)), whole.subarray(at)])
    default: {
      const changed = Buffer.from(whole)
      for (let times = 1 + dice.roll(8); times > 0 && changed.length > 0; times--)
        changed[dice.roll(changed.length)] = dice.roll(256)
      return changed
    }
  }
}
