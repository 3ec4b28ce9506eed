// sauti usage: the credit of an account, and what its last sessions took of it.

import type { CreditBalance, UsageSession } from '@sauti/client'
import type { Command, Options, Result } from '../command.ts'
import { alignColumns } from '../help.ts'
import { explainFailure } from '../service/explain-failure.ts'
import { openService, SERVICE_OPTIONS } from '../service/settings.ts'

const BAR_CHARACTERS = 24

export const usageCommand: Command = {
  name: 'usage',
  options: SERVICE_OPTIONS,
  examples: ['sauti usage', 'sauti usage --json'],
  run: showUsage,
}

async function showUsage(options: Options): Promise<Result> {
  const balance = await openService(options)
    .client.usage()
    .catch(error => {
      throw explainFailure(error)
    })
  return { json: balance, text: formatUsage(balance) }
}

function formatUsage(balance: CreditBalance): string {
  const credit = alignColumns([
    ['available', duration(balance.available_ms)],
    ['reserved', duration(balance.reserved_ms)],
    ['consumed', duration(balance.consumed_ms)],
  ])
  if (balance.recent_sessions.length === 0) return `${credit}\n\nNo sessions yet.`
  const most = Math.max(...balance.recent_sessions.map(session => session.billable_ms), 1)
  const rows = balance.recent_sessions.map(session => sessionRow(session, most))
  return `${credit}\n\n${alignColumns([['CREATED', 'MODEL', 'STATUS', 'AUDIO', 'BILLED', ''], ...rows])}`
}

function sessionRow(session: UsageSession, mostMs: number): string[] {
  const { created_at, model, status, audio_ms, billable_ms } = session
  const bar = '█'.repeat(Math.ceil((billable_ms / mostMs) * BAR_CHARACTERS))
  return [
    created_at.slice(0, 19).replace('T', ' '),
    model,
    status,
    `${(audio_ms / 1000).toFixed(1)} s`,
    `${billable_ms / 1000} s`,
    bar,
  ]
}

function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const parts = [hours && `${hours} h`, minutes && `${minutes} min`, `${seconds % 60} s`]
  return parts.filter(Boolean).join(' ')
}
