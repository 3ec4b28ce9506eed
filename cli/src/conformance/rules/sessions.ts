// The answer to a new session (2.3, 4.2, 8) and what it does to the balance.

import type { Answer } from '../exchange.ts'
import { type Rule, rulesOf } from '../rule.ts'
import { defaults, MAX_SECONDS } from '../scenes/defaults.ts'
import { RESERVED_SECONDS, type Reservation, reservation } from '../scenes/reservation.ts'
import { at, isDateTime, isList, isText, isUuid, NotSeen, same, see } from '../see.ts'
import { KIKUYU, usageOf } from '../world.ts'

const CREDENTIAL_LIFETIME_MS = 60_000
/** Two readings of the service's clock in one request need not be the same. */
const CLOCK_MARGIN_MS = 1_000

/** Constants of the answer. */
const CONSTANTS: readonly (readonly [string, unknown])[] = [
  ['object', 'asr.session'],
  ['status', 'reserved'],
  ['model', KIKUYU],
  ['audio.encoding', 'pcm_s16le'],
  ['audio.sample_rate_hz', 16_000],
  ['audio.channels', 1],
  ['audio.context_size', [56, 13]],
  ['credits.unit', 'audio_second'],
]

const constants: readonly Rule[] = rulesOf(
  reservation,
  CONSTANTS.map(([path, value]) => ({
    id: `session.${path}`,
    section: '2.3',
    text: `${path} is ${JSON.stringify(value)}.`,
    look: ({ created }: Reservation) => same(at(created.json, path), value, path),
  })),
)

function amounts({ json }: Answer): { available: number; reserved: number; consumed: number } {
  const read = (field: string) => Number(at(json, `${field}_ms`))
  return { available: read('available'), reserved: read('reserved'), consumed: read('consumed') }
}

function sum(answer: Answer): number {
  const { available, reserved, consumed } = amounts(answer)
  return available + reserved + consumed
}

const answers = rulesOf(reservation, [
  {
    id: 'session.created',
    section: '4.2',
    text: 'A new session is answered with 201 and X-Request-Id.',
    look({ created }) {
      same(created.status, 201, 'the status')
      isUuid(created.headers['x-request-id'], 'X-Request-Id')
    },
  },
  {
    id: 'session.id',
    section: '2.3',
    text: 'id is a uuid.',
    look: ({ created }) => isUuid(at(created.json, 'id'), 'id'),
  },
  {
    id: 'session.websocket-url',
    section: '2.3',
    text: 'websocket_url begins with wss:// and holds no secret.',
    look({ created }) {
      const url = at(created.json, 'websocket_url')
      isText(url, 'websocket_url')
      see(url.startsWith('wss://') && URL.canParse(url), 'websocket_url is not a wss:// address')
      see(!url.includes('svc.auth'), 'websocket_url holds the credential')
    },
  },
  {
    id: 'session.protocols',
    section: '2.3',
    text: 'websocket_protocols are exactly svc.realtime.v1 and a credential that begins with svc.auth.',
    look({ created }) {
      const protocols = at(created.json, 'websocket_protocols')
      isList(protocols, 'websocket_protocols')
      same(protocols.length, 2, 'the number of subprotocols')
      same(protocols[0], 'svc.realtime.v1', 'the first subprotocol')
      see(/^svc\.auth\..+/.test(String(protocols[1])), 'the second subprotocol does not begin with svc.auth.')
    },
  },
  {
    id: 'session.expires-at',
    section: '2.3',
    text: 'expires_at is 60 seconds after the creation.',
    look({ created, during, session }) {
      isDateTime(at(created.json, 'expires_at'), 'expires_at')
      const createdAt = Date.parse(String(at(usageOf(during, session?.id ?? ''), 'created_at')))
      const lifetimeMs = Date.parse(String(at(created.json, 'expires_at'))) - createdAt
      see(
        Math.abs(lifetimeMs - CREDENTIAL_LIFETIME_MS) <= CLOCK_MARGIN_MS,
        `it expires after ${lifetimeMs} ms`,
      )
    },
  },
  {
    id: 'session.reserved',
    section: '4.2',
    text: 'The reservation is what was asked for, where there is enough credit.',
    look({ created, before }) {
      if (amounts(before).available < RESERVED_SECONDS * 1000)
        throw new NotSeen('the account has too little credit')
      same(at(created.json, 'credits.reserved'), RESERVED_SECONDS, 'credits.reserved')
    },
  },
  {
    id: 'session.limit',
    section: '2.3',
    text: 'audio.max_audio_seconds and credits.reserved are the same limit.',
    look: ({ created }) =>
      same(
        at(created.json, 'audio.max_audio_seconds'),
        at(created.json, 'credits.reserved'),
        'max_audio_seconds',
      ),
  },
  {
    id: 'session.remaining',
    section: '2.3',
    text: 'credits.remaining is what is left for other sessions.',
    look({ created, during }) {
      const remaining = at(created.json, 'credits.remaining')
      see(typeof remaining === 'number' && remaining >= 0, 'credits.remaining is not a number of at least 0')
      same(Math.round(Number(remaining) * 1000), amounts(during).available, 'credits.remaining')
    },
  },
  {
    id: 'session.rate-headers',
    section: 'decisions: HTTP',
    text: 'Session creations carry RateLimit and RateLimit-Policy.',
    look({ created: { headers } }) {
      isText(headers.ratelimit, 'RateLimit')
      isText(headers['ratelimit-policy'], 'RateLimit-Policy')
    },
  },
  {
    id: 'balance.reserves',
    section: '1',
    text: 'Creating a session moves the reserved seconds from available_ms to reserved_ms.',
    look({ before, during, created }) {
      const reservedMs = Number(at(created.json, 'credits.reserved')) * 1000
      same(amounts(during).reserved - amounts(before).reserved, reservedMs, 'the change of reserved_ms')
      same(amounts(before).available - amounts(during).available, reservedMs, 'the change of available_ms')
    },
  },
  {
    id: 'balance.sum',
    section: 'decisions: money',
    text: 'available + reserved + consumed stays the same.',
    look({ before, during, after }) {
      same(sum(during), sum(before), 'the sum while a session is reserved')
      same(sum(after), sum(before), 'the sum afterwards')
    },
  },
  {
    id: 'session.listed',
    section: '3',
    text: 'A fresh session is listed as reserved, without audio, cost or end.',
    look({ during, session }) {
      const listed = usageOf(during, session?.id ?? '')
      same(at(listed, 'status'), 'reserved', 'status')
      same(at(listed, 'audio_ms'), 0, 'audio_ms')
      same(at(listed, 'billable_ms'), 0, 'billable_ms')
      same(at(listed, 'completed_at'), null, 'completed_at')
    },
  },
])

const bounds = rulesOf(defaults, [
  {
    id: 'session.default',
    section: '2.2',
    text: 'Without max_audio_seconds 60 seconds are reserved, or what there is.',
    look: ({ availableMs, twins }) =>
      same(
        at(twins[0].json, 'credits.reserved'),
        Math.min(60, Math.floor(availableMs / 1000)),
        'credits.reserved',
      ),
  },
  {
    id: 'session.longest',
    section: '8',
    text: '300 seconds can be asked for.',
    look({ availableMs, longest }) {
      same(longest.status, 201, 'the status')
      const wanted = Math.min(MAX_SECONDS, Math.floor(availableMs / 1000))
      same(at(longest.json, 'credits.reserved'), wanted, 'credits.reserved')
    },
  },
])

export const sessionRules = [...constants, ...answers, ...bounds]
