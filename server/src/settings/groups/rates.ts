// How many requests an account or a network address may make.

import { perMinute } from '../parse.ts'
import { type SettingsTable, setting } from '../setting.ts'

export const RATES = {
  sessionCreationsPerMinute: setting(
    'SAUTI_SESSION_CREATIONS_PER_MINUTE',
    perMinute,
    60,
    'Sessions that an account may create per minute, and cancel per minute.',
  ),
  usageReadsPerMinute: setting(
    'SAUTI_USAGE_READS_PER_MINUTE',
    perMinute,
    120,
    'Usage requests per account and minute.',
  ),
  modelListsPerMinute: setting(
    'SAUTI_MODEL_LISTS_PER_MINUTE',
    perMinute,
    300,
    'Model list requests per IP address and minute.',
  ),
} as const satisfies SettingsTable
