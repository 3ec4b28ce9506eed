// The credential (4.4, 5) and the handshake.

import type { RecordedStream } from '../recorded-stream.ts'
import { rulesOf } from '../rule.ts'
import { handshake } from '../scenes/handshake.ts'
import { at, isUuid, oneOf, same, see } from '../see.ts'

/** Accepted as a WebSocket, told why, and closed. */
export function isTurnedAway({ events, closing, refusal }: RecordedStream, codes: readonly string[]): void {
  same(refusal?.status, undefined, 'the status of a refused upgrade')
  same(
    events.map(({ type }) => type),
    ['error'],
    'the list of events',
  )
  const error = events[0]?.json
  oneOf(at(error, 'code'), codes, 'error code')
  same(at(error, 'fatal'), true, 'fatal')
  same(closing, { code: 4401, reason: at(error, 'code') }, 'the close')
}

export const handshakeRules = rulesOf(handshake, [
  {
    id: 'credential.malformed',
    section: 'decisions: WebSocket',
    text: 'A missing or malformed pair of subprotocols is refused with HTTP 401 and the error body.',
    look({ malformed }) {
      for (const [fault, { refusal }] of malformed) {
        same(refusal?.status, 401, `the status for ${fault}`)
        same(at(refusal?.json, 'error.type'), 'authentication_error', `error.type for ${fault}`)
        isUuid(at(refusal?.json, 'error.request_id'), `request_id for ${fault}`)
      }
    },
  },
  {
    id: 'credential.forged',
    section: 'decisions: WebSocket',
    text: 'A credential that is well-formed and unknown gets an error and 4401 invalid_credential.',
    look: ({ forged }) => isTurnedAway(forged, ['invalid_credential']),
  },
  {
    id: 'credential.opens',
    section: '4.4',
    text: 'Both subprotocols in the returned order open the stream, and wrong attempts before do not matter.',
    look: ({ right }) =>
      see(
        right.events.some(({ type }) => type === 'ready'),
        'the stream was never ready',
      ),
  },
  {
    id: 'credential.not-echoed',
    section: 'decisions: WebSocket',
    text: 'The answer selects svc.realtime.v1 and never the secret.',
    look: ({ right }) => same(right.chosen.protocol, 'svc.realtime.v1', 'the selected subprotocol'),
  },
  {
    id: 'credential.no-compression',
    section: 'decisions: WebSocket',
    text: 'Compression is not used when it is offered.',
    look: ({ right }) => same(right.chosen.extensions, '', 'Sec-WebSocket-Extensions'),
  },
  {
    id: 'credential.once',
    section: '4.4',
    text: 'A credential opens one stream: a second use gets an error and 4401 credential_already_used.',
    look: ({ second }) => isTurnedAway(second, ['credential_already_used']),
  },
  {
    id: 'credential.undisturbed',
    section: 'decisions: WebSocket',
    text: 'A second use never disturbs the first.',
    look({ isFirstUndisturbed, closingOfFirst }) {
      see(isFirstUndisturbed, 'the first stream does not answer any more')
      same(closingOfFirst?.code, 1000, 'the close code of the first')
    },
  },
  {
    id: 'credential.never-again',
    section: '4.4',
    text: 'A credential cannot be replayed after its stream was closed.',
    look: ({ late }) => isTurnedAway(late, ['credential_already_used', 'expired_credential']),
  },
  {
    id: 'billing.no-audio',
    section: 'decisions: money',
    text: 'A stream without audio is completed and costs nothing.',
    look({ bill }) {
      same(at(bill, 'status'), 'completed', 'status')
      same(at(bill, 'billable_ms'), 0, 'billable_ms')
    },
  },
])
