// The account of the quickstart. The first run makes it and shows its key; later runs only make a key that expires by itself.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runSauti } from './run-sauti.ts'

const CREDIT_SECONDS = 3600
const OPERATOR_EMAIL = 'operator@sauti.local'

interface Place {
  readonly dataDir: string
  readonly url: string
}

/** An API key of the account. */
export async function provideKey(place: Place): Promise<string> {
  const record = join(place.dataDir, 'quickstart.json')
  return existsSync(record)
    ? makeAnotherKey(JSON.parse(readFileSync(record, 'utf8')))
    : makeAccount(place, record)
}

async function makeAnotherKey({ account_id }: { account_id: string }): Promise<string> {
  console.log(`\nThe demonstration account ${account_id} was made by an earlier run, which showed its key.`)
  console.log(`For another key: npx sauti keys create --account ${account_id}`)
  const args = ['--account', account_id, '--name', 'quickstart', '--expires-in', '1h']
  return (await runSauti<{ api_key: string }>(['keys', 'create', ...args])).api_key
}

async function makeAccount({ dataDir, url }: Place, record: string): Promise<string> {
  const account = ['--name', 'Demonstration', '--credit-seconds', String(CREDIT_SECONDS)]
  const { account_id, api_key } = await runSauti<{ account_id: string; api_key: string }>([
    'accounts',
    'create',
    ...account,
  ])
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(record, `${JSON.stringify({ account_id })}\n`)
  console.log(`\nDemonstration account ${account_id} with ${CREDIT_SECONDS} seconds of credit.`)
  console.log(`Its API key, shown only this once:\n\n  ${api_key}\n`)
  await inviteOperator(account_id, url)
  return api_key
}

/** Access to the console, as its operator and as a developer with the demonstration account. */
async function inviteOperator(accountId: string, url: string): Promise<void> {
  const order = ['--email', OPERATOR_EMAIL, '--name', 'Operator', '--account', accountId]
  const { link } = await runSauti<{ link: string }>(['operators', 'create', ...order], {
    SAUTI_PUBLIC_URL: url,
  })
  console.log(`To choose the password of ${OPERATOR_EMAIL} for the console, open this once:\n\n  ${link}\n`)
}
