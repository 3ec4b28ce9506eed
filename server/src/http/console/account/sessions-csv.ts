// Sessions as CSV (RFC 4180), for spreadsheets.

import type { PastSession } from '../../../sessions/history.ts'

const COLUMNS: readonly (readonly [string, (session: PastSession) => string | number])[] = [
  ['id', session => session.id],
  ['started_at', session => session.createdAt.toISOString()],
  ['ended_at', session => session.completedAt?.toISOString() ?? ''],
  ['status', session => session.status],
  ['reason', session => session.ending ?? ''],
  ['model', session => session.model],
  ['source', session => (session.keyId === null ? 'playground' : 'api')],
  ['key_id', session => session.keyId ?? ''],
  ['key_name', session => session.keyName ?? ''],
  ['reserved_seconds', session => session.reservedMs / 1000],
  ['audio_seconds', session => session.audioMs / 1000],
  ['billed_seconds', session => session.billableMs / 1000],
]

export function writeSessionCsv(sessions: readonly PastSession[]): string {
  const head = COLUMNS.map(([name]) => name)
  const rows = sessions.map(session => COLUMNS.map(([, read]) => read(session)))
  return [head, ...rows].map(row => `${row.map(writeCell).join(',')}\r\n`).join('')
}

/** A name that a spreadsheet would take for a formula is made plain text. */
function writeCell(value: string | number): string {
  const text = String(value)
  const plain = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
