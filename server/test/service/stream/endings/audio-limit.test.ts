import { afterEach, describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../support/service/scripted-service.ts'
import { connect, expectClosed, expectSettled } from './endings.ts'

const recogniser = new ScriptedRecogniser()
const service = await openScriptedService({ recogniser })
afterEach(() => recogniser.setStalled(false))

describe('ended at the audio limit', () => {
  it('the audio limit: cut at the exact sample, final, 4402, completed, billed', async () => {
    const { account, client } = await connect(service, 2)
    client.silence(24_000)
    client.audio(Buffer.alloc(16_002))
    await expectClosed(client, 4402, 'audio_limit_reached')
    expect(client.all('final')).toMatchObject([
      { text: 'a'.repeat(20), billable_ms: 2000, remaining_ms: 0, audio_ms: 2000 },
    ])
    await expectSettled(service, account, 'completed', 2000, 2000)
  })

  it('the audio limit, and the client keeps sending: nothing more is accepted or answered', async () => {
    const { account, client } = await connect(service, 2)
    recogniser.setStalled(true)
    client.silence(33_000)
    for (let count = 0; count < 10; count++) {
      client.silence(1600)
      client.flush()
    }
    for (let count = 0; count < 6; count++) client.text('nonsense')
    client.audio(Buffer.alloc(70_000))
    await new Promise(resolve => setTimeout(resolve, 200))
    recogniser.setStalled(false)
    await expectClosed(client, 4402, 'audio_limit_reached')
    expect(client.all('final')).toHaveLength(1)
    expect(client.errorCodes).toEqual(['audio_limit_reached'])
    await expectSettled(service, account, 'completed', 2000, 2000)
  })

  it('the audio limit with flushes still owed: all of them are answered first', async () => {
    const { account, client } = await connect(service, 1)
    recogniser.setStalled(true)
    client.silence(8000)
    client.flush()
    client.silence(9000)
    await new Promise(resolve => setTimeout(resolve, 100))
    recogniser.setStalled(false)
    await expectClosed(client, 4402, 'audio_limit_reached')
    expect(client.all('final').map(event => event.text)).toEqual(['aaaaa', 'aaaaa'])
    await expectSettled(service, account, 'completed', 1000, 1000)
  })

  it('exactly the reservation is not an error: its flush is answered, and a silent client is ended soon after', async () => {
    const { account, client } = await connect(service, 1)
    client.silence(16_000)
    client.flush()
    expect(await client.next('final')).toMatchObject({ remaining_ms: 0 })
    expect(client.errorCodes).toEqual([])
    await expectClosed(client, 4402, 'audio_limit_reached')
    await expectSettled(service, account, 'completed', 1000, 1000)
  })
})
