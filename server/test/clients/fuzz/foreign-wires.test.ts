// Conversations on the wires of Deepgram and OpenAI, right, nearly right and wrong: every answer is one of the protocol, every session
// is settled, and the service goes on.

import type { IncomingMessage } from 'node:http'
import { ERRORS, type ErrorEntry } from '@sauti/protocol/errors'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { Dice, FUZZ_SEED, FUZZ_TIMEOUT_MS, fuzzSeeds } from '../../support/fuzzing.ts'
import { expectAllSettled } from '../../support/service/all-settled.ts'
import { type Customer, createCustomer } from '../../support/service/customer.ts'
import { startTestService, type TestService } from '../../support/service/service.ts'
import { connectForeign, type Message } from '../../support/streams/foreign-clients.ts'
import { deepgramTalk, openAiTalk, type Talk } from '../../support/streams/foreign-talk.ts'

const AT_ONCE = 3
const TALKS_IN_CHECK = 24
const VANISHED = 1006
const PATIENCE_MS = 90_000
/** Our own closes, those of the standard that the foreign protocols use instead, and answers to the client's own. */
const CLOSES = new Set<number | undefined>([
  ...Object.values<ErrorEntry>(ERRORS).map(({ close }) => close),
  ...[1000, 1005, 1008, 1011],
])

let service: TestService
let customer: Customer
beforeAll(async () => {
  service = await startTestService({
    env: { SAUTI_MAX_STREAMS: '1000', SAUTI_SESSION_CREATIONS_PER_MINUTE: '1000000' },
  })
  customer = await createCustomer(service.database, new Date(), { creditMs: 1e12, concurrency: 1000 })
})
afterAll(() => service.stop())

it.each([
  ['Deepgram', deepgramTalk, (body: Message) => body.err_code],
  ['OpenAI', openAiTalk, (body: Message) => body.error.type],
] as const)(
  'no message on the wire of %s causes an internal error',
  async (name, makeTalk, refusalOf) => {
    const seeds = fuzzSeeds(TALKS_IN_CHECK)
    const count = { talks: 0, refused: 0, busy: 0, messages: 0, answers: 0 }
    async function talkOn(): Promise<void> {
      for (const seed of seeds) {
        const talk = makeTalk(new Dice(seed), customer.key)
        const { refusal, told, code } = await hold(talk, new Dice(seed + 1)).catch(cause => {
          throw new Error(`${name}, seed ${seed}`, { cause })
        })
        count.talks += 1
        if (refusal) {
          count.refused += 1
          if (refusal.status === 503) count.busy += 1
          expect({ seed, status: refusal.status }).toEqual({ seed, status: expect.toSatisfy(isRefusal) })
          expect(refusalOf(JSON.parse(refusal.body)), `seed ${seed}`).toEqual(expect.any(String))
          continue
        }
        count.messages += talk.messages.length
        count.answers += told.length
        expect([...CLOSES, VANISHED], `seed ${seed}: closed with ${code}`).toContain(code)
        for (const text of told)
          expect(JSON.parse(text), `seed ${seed}`).toMatchObject({ type: expect.any(String) })
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, talkOn))
    process.stdout.write(`${JSON.stringify({ wire: name, seed: FUZZ_SEED, ...count })}\n`)
    expect(count.answers + count.busy).toBeGreaterThan(0)
    await expectAllSettled(service)
  },
  FUZZ_TIMEOUT_MS,
)

/** 503 is a service that is too busy for one more stream; a fault would be in its log. */
function isRefusal(status: number): boolean {
  return [400, 402, 404, 429, 503].includes(status)
}

interface Held {
  readonly refusal?: { readonly status: number; readonly body: string }
  readonly told: readonly string[]
  readonly code?: number
}

/** Says everything and leaves, in one of the ways in which clients leave. */
async function hold(talk: Talk, dice: Dice): Promise<Held> {
  const socket = connectForeign(service, talk)
  const told: string[] = []
  socket.on('message', data => told.push(String(data)))
  socket.on('error', () => undefined)
  const closed = new Promise<number>(resolve => socket.on('close', resolve))
  const opened = new Promise<void>(resolve => socket.on('open', resolve))
  const refused = new Promise<IncomingMessage>(resolve =>
    socket.on('unexpected-response', (_request, response) => resolve(response)),
  )
  const response = await inTime(Promise.race([opened, refused]))
  if (response) return { refusal: { status: response.statusCode!, body: await readBody(response) }, told }
  for (const message of talk.messages) if (socket.readyState === socket.OPEN) socket.send(message)
  leave(socket, talk, dice)
  return { told, code: await inTime(closed) }
}

async function inTime<T>(event: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the service does not go on')), PATIENCE_MS)
  })
  return Promise.race([event, late]).finally(() => clearTimeout(timer))
}

async function readBody(response: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of response) body += chunk
  return body
}

function leave(socket: WebSocket, { lastWord }: Talk, dice: Dice): void {
  if (socket.readyState !== socket.OPEN) return
  switch (dice.roll(4)) {
    case 0:
      socket.terminate()
      break
    case 1:
      socket.close()
      break
    default:
      if (lastWord === undefined) socket.close(1000)
      else socket.send(lastWord)
  }
}
