import { describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../support/service/scripted-service.ts'
import { StreamClient } from '../../../support/streams/stream-client.ts'
import { connect, expectClosed, expectSettled, GRANTED_SECONDS, speak } from './endings.ts'

const recogniser = new ScriptedRecogniser()
const service = await openScriptedService({ recogniser })

describe('ended by a fault of ours', () => {
  it('the engine dies: 1013, failed, not billed', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    for (const stream of recogniser.streams) stream.die()
    await expectClosed(client, 1013, 'engine_unavailable')
    await expectSettled(service, account, 'failed', 0)
  })

  it('no engine slot in time: 1013, failed, not billed', async () => {
    const account = await service.openAccount(GRANTED_SECONDS)
    recogniser.refusing = true
    const client = new StreamClient(await service.createSession(account), service.ca)
    await expectClosed(client, 1013, 'engine_unavailable')
    recogniser.refusing = false
    expect(client.all('ready')).toEqual([])
    await expectSettled(service, account, 'failed', 0, 0)
  })

  it('an internal error: 1011, failed, not billed, its cause in the log only', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    for (const stream of recogniser.streams) stream.die(new TypeError('a bug of ours'))
    await expectClosed(client, 1011, 'internal_error')
    expect(JSON.stringify(client.events)).not.toContain('a bug of ours')
    expect(service.logLines.join('')).toContain('a bug of ours')
    await expectSettled(service, account, 'failed', 0)
  })
})
