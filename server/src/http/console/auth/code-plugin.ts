// Better Auth's plugin for one-time codes on our own tables, and the secrets that encrypt what it stores.

import { createHash } from 'node:crypto'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { Queryable } from '../../../db/port.ts'
import type { CookieSecrets } from './cookie-secrets.ts'

/** How long somebody may look for their code after the password. */
const CODE_WAIT_SECONDS = 600

export function oneTimeCodes() {
  return twoFactor({
    issuer: 'Sauti',
    twoFactorCookieMaxAge: CODE_WAIT_SECONDS,
    backupCodeOptions: { storeBackupCodes: 'encrypted' },
    schema: {
      user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
      twoFactor: {
        modelName: 'two_factors',
        fields: {
          userId: 'user_id',
          backupCodes: 'backup_codes',
          failedVerificationCount: 'failed_verification_count',
          lockedUntil: 'locked_until',
        },
      },
    },
  })
}

/** Each secret has a number of its own that never changes, so that the secret that encrypted a value can be found again. */
export function encryptionSecrets(secrets: CookieSecrets) {
  return secrets.filter(isSecret).map(value => ({ version: versionOf(value), value }))
}

function isSecret(secret: string | undefined): secret is string {
  return secret !== undefined
}

function versionOf(secret: string): number {
  return createHash('sha256').update(secret).digest().readUInt32BE(0)
}

interface Encrypted {
  readonly id: string
  readonly secret: string
  readonly backupCodes: string
}

/** After this the previous secret can be removed. */
export async function renewEncryption({
  db,
  cookieSecrets,
}: {
  readonly db: Queryable
  readonly cookieSecrets: CookieSecrets
}): Promise<void> {
  const [current, previous] = encryptionSecrets(cookieSecrets)
  if (!current || !previous) return
  const rows = await db.query<Encrypted>(
    `SELECT id, secret, backup_codes AS "backupCodes" FROM two_factors WHERE starts_with(secret, $1)`,
    [`$ba$${previous.version}$`],
  )
  const keys = new Map([current, previous].map(({ version, value }) => [version, value]))
  const key = { keys, currentVersion: current.version }
  const renew = async (data: string) => symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) })
  for (const { id, secret, backupCodes } of rows) {
    await db.query('UPDATE two_factors SET secret = $2, backup_codes = $3 WHERE id = $1 AND secret = $4', [
      id,
      await renew(secret),
      await renew(backupCodes),
      secret,
    ])
  }
}
