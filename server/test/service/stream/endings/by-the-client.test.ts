import { afterEach, describe, expect, it, vi } from 'vitest'
import { readConfig } from '#server/settings/config.js'
import { ScriptedRecogniser } from '../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../support/service/scripted-service.ts'
import { RawClient } from '../../../support/streams/raw-client.ts'
import { connect, expectSettled, GRANTED_SECONDS, speak } from './endings.ts'

const recogniser = new ScriptedRecogniser()
const service = await openScriptedService({ recogniser })
afterEach(() => recogniser.setStalled(false))

describe('ended by the client, or never opened', () => {
  it('the client closes: completed, billed', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    await client.close()
    await expectSettled(service, account, 'completed', 2000)
  })

  it('the client closes without a code: completed, billed', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    client.socket.close()
    await expectSettled(service, account, 'completed', 2000)
  })

  it('the client closes in the middle of a flush: completed, billed', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    recogniser.setStalled(true)
    client.flush()
    await client.close()
    await expectSettled(service, account, 'completed', 2000)
  })

  it('the client sends audio and closes at once: all of it counts', async () => {
    const { account, client } = await connect(service)
    client.silence(24_000)
    await client.close()
    await expectSettled(service, account, 'completed', 2000)
  })

  it('the client resets the TCP connection: completed, billed', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    client.socket.terminate()
    await expectSettled(service, account, 'completed', 2000)
  })

  it('the client ends TCP without a close frame: completed, billed', async () => {
    const account = await service.openAccount(GRANTED_SECONDS)
    const client = await RawClient.ready(service.port, await service.createSession(account), service.ca)
    client.socket.end()
    await client.closed
    await expectSettled(service, account, 'completed', 0, 0)
  })

  it('no audio: nothing billed', async () => {
    const { account, client } = await connect(service)
    await client.close()
    await expectSettled(service, account, 'completed', 0, 0)
  })

  it('never opened: expired, nothing billed, credit back by itself; looked for every second or sooner', async () => {
    expect(readConfig({}).reaperIntervalMs).toBeLessThanOrEqual(1000)
    const account = await service.openAccount(GRANTED_SECONDS)
    const { id } = await service.createSession(account)
    await service.database.query(
      `UPDATE sessions SET expires_at = now() + interval '300 milliseconds' WHERE id = $1`,
      [id],
    )
    // Past the front door, which would expire it by itself when it is asked.
    const look = () =>
      service.database.query(
        `SELECT s.status, a.available_ms AS available FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.id = $1`,
        [id],
      )
    const expired = { status: 'expired', available: GRANTED_SECONDS * 1000 }
    await vi.waitFor(async () => expect(await look()).toEqual([expired]), { timeout: 20_000, interval: 100 })
    expect(await service.ended(account)).toMatchObject({ status: 'expired', billable_ms: 0, reserved_ms: 0 })
  })
})
