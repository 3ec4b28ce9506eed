// sauti audit ...: the log of everything that people changed, for those who check it.

import { exportAudit, verifyAudit } from '@sauti/server/accounts/audit-chain.js'
import { type Command, EXIT, type Options, type Result } from '../command.ts'
import { printable } from '../printable.ts'
import { withDatabase } from '../with-database.ts'

export const auditCommands: readonly Command[] = [
  {
    name: 'audit export',
    options: {},
    examples: ['sauti audit export > audit.jsonl'],
    run: exportAll,
  },
  {
    name: 'audit verify',
    options: {},
    examples: ['sauti audit verify', 'sauti audit verify --json'],
    run: verify,
  },
]

async function exportAll(_options: Options): Promise<undefined> {
  await withDatabase(async db => {
    for await (const line of exportAudit(db)) process.stdout.write(printable(line))
  })
}

async function verify(): Promise<Result> {
  const { entries, lastHash, problems } = await withDatabase(verifyAudit)
  const found = problems.map(({ id, problem }) => `entry ${id}: ${problem}`)
  const summary = `${entries} entries, last hash ${lastHash ?? 'none'}`
  return {
    json: { entries, last_hash: lastHash, problems },
    text: [...found, summary].join('\n'),
    exitCode: problems.length === 0 ? 0 : EXIT.failed,
  }
}
