// What the service keeps, and the secret that it derives others from.

import { resolve } from 'node:path'
import { splitAddress } from '../../db/addresses.ts'
import { atLeastBytes, integer, path } from '../parse.ts'
import { type SettingsTable, setting } from '../setting.ts'

export const STORAGE = {
  dataDir: setting(
    'SAUTI_DATA_DIR',
    path,
    resolve('.sauti'),
    'Folder for the database, secrets and certificates.',
    {
      fallbackText: '.sauti',
    },
  ),
  databaseUrl: setting(
    'SAUTI_DATABASE_URL',
    parseDatabaseUrl,
    undefined,
    'PostgreSQL to use instead of the embedded database. Several nodes can share it. List a primary and its standbys as ' +
      'comma-separated hosts: the one that accepts writes is used.',
    { isSecret: true },
  ),
  databasePoolSize: setting(
    'SAUTI_DATABASE_POOL_SIZE',
    integer(1, 500),
    10,
    'Maximum number of connections to the database.',
  ),
  secret: setting(
    'SAUTI_SECRET',
    atLeastBytes(32),
    undefined,
    'Secret that session credentials are derived from, at least 32 bytes. With the embedded database it is generated and kept ' +
      'in the data folder. Required with `SAUTI_DATABASE_URL`, and the same on all nodes.',
    { isSecret: true },
  ),
  previousSecret: setting(
    'SAUTI_SECRET_PREVIOUS',
    atLeastBytes(32),
    undefined,
    'The previous value of `SAUTI_SECRET`. Credentials and sign-ins made with it stay valid while it is set. Keep it for two weeks after a change.',
    { isSecret: true },
  ),
} as const satisfies SettingsTable

function parseDatabaseUrl(value: string): string {
  splitAddress(value)
  return value
}
