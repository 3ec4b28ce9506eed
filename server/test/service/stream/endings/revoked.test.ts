import { describe, expect, it } from 'vitest'
import { setAccountActive } from '#server/accounts/accounts.js'
import { revokeKey } from '#server/accounts/keys.js'
import { REVOCATION_POLL_MS } from '#server/stream/settings.js'
import { ScriptedRecogniser } from '../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../support/service/scripted-service.ts'
import { connect, expectClosed, expectSettled, speak } from './endings.ts'

const recogniser = new ScriptedRecogniser()
const service = await openScriptedService({ recogniser })

describe('ended because a key was revoked or an account deactivated', () => {
  it('revocations are looked for often enough to be told within 5 s, with time for a slow query', () => {
    expect(REVOCATION_POLL_MS).toBeLessThan(2500)
  })

  it('the key is revoked while open: 4403, completed, billed', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    await revokeKey(service.database, account.keyId, new Date())
    await expectClosed(client, 4403, 'key_revoked')
    const key = await service.anotherKey(account)
    await expectSettled(service, { ...account, key }, 'completed', 2000)
  })

  it('the account is deactivated while open: 4403, completed, billed', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    await setAccountActive(service.database, account.accountId, false)
    await expectClosed(client, 4403, 'account_inactive')
    await setAccountActive(service.database, account.accountId, true)
    await expectSettled(service, account, 'completed', 2000)
  })
})
