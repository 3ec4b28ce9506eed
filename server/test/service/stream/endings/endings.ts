// What the tests of endings share: an account, its stream, and what is told and billed at the end.

import type { ErrorCode } from '@sauti/protocol/errors'
import { expect } from 'vitest'
import type { Customer } from '../../../support/service/customer.ts'
import type { ScriptedService } from '../../../support/service/scripted-service.ts'
import type { StreamClient } from '../../../support/streams/stream-client.ts'

export const GRANTED_SECONDS = 600

/** A stream of a new account, whose balance shows how the stream ended. */
export async function connect(
  service: ScriptedService,
  seconds = 60,
): Promise<{ account: Customer; client: StreamClient }> {
  const account = await service.openAccount(GRANTED_SECONDS)
  return { account, client: await service.connect(account, seconds) }
}

/** 1.5 s were accepted: 2 s are billed, or nothing when the fault was ours. */
export async function expectSettled(
  service: ScriptedService,
  account: Customer,
  status: 'completed' | 'failed',
  billableMs: number,
  audioMs = 1500,
): Promise<void> {
  expect(await service.ended(account)).toEqual({
    status,
    audio_ms: audioMs,
    billable_ms: billableMs,
    available_ms: GRANTED_SECONDS * 1000 - billableMs,
    reserved_ms: 0,
    consumed_ms: billableMs,
  })
  // The slot is free again.
  await service.createSession(account, 1)
}

/** The last event is the fatal error, and the close has the same code. */
export async function expectClosed(client: StreamClient, close: number, code: ErrorCode): Promise<void> {
  expect(await client.closed).toEqual({ code: close, reason: code })
  expect(client.events.at(-1)).toMatchObject({
    type: 'error',
    code,
    fatal: true,
    message: expect.any(String),
  })
  expect(client.all('error').filter(event => event.fatal)).toHaveLength(1)
}

export async function speak(client: StreamClient): Promise<void> {
  client.silence(24_000)
  while ((await client.next('delta')).audio_ms < 1500);
}
