// Numbers, times and languages as people read them.

import { findModel } from '@sauti/protocol/models'

const DAY_MS = 86_400_000

/** How a language writes an amount of each unit. */
type DurationUnits = Readonly<Record<'hours' | 'minutes' | 'seconds', (count: string) => string>>

const ENGLISH: DurationUnits = {
  hours: count => `${count} h`,
  minutes: count => `${count} min`,
  seconds: count => `${count} s`,
}

/** 75,500 ms is "1 min 16 s"; hours without seconds. Credit counts in whole seconds. */
export function formatDuration(ms: number, units: DurationUnits = ENGLISH): string {
  const total = Math.round(ms / 1000)
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60]
  const parts = [
    ...(hours > 0 ? [units.hours(hours.toLocaleString('en'))] : []),
    ...(minutes > 0 ? [units.minutes(`${minutes}`)] : []),
    ...(hours === 0 && (seconds > 0 || minutes === 0) ? [units.seconds(`${seconds}`)] : []),
  ]
  return parts.join(' ')
}

/** 75,500 ms is "1:15": a clock that runs. */
export function formatClock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

export function formatDate(iso: string): string {
  return new Date(iso).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
}

export function formatDateTime(iso: string): string {
  return new Date(iso).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
}

/** "just now", "5 min ago", "3 h ago", then the date. */
export function formatAgo(iso: string, nowMs = Date.now()): string {
  const ageMs = nowMs - Date.parse(iso)
  if (ageMs < 60_000) return 'just now'
  if (ageMs < 3_600_000) return `${Math.floor(ageMs / 60_000)} min ago`
  if (ageMs < DAY_MS) return `${Math.floor(ageMs / 3_600_000)} h ago`
  return formatDate(iso)
}

/** "90", "90s", "15 min", "2h": seconds, or undefined where it is no amount. */
export function parseAmount(text: string): number | undefined {
  const found = /^\s*([0-9][0-9 ,]*(?:\.[0-9]+)?)\s*(s|sec|seconds?|m|min|minutes?|h|hours?)?\s*$/i.exec(text)
  if (found === null) return undefined
  const amount = Number((found[1] ?? '').replaceAll(/[ ,]/g, ''))
  const unit = (found[2] ?? 's').toLowerCase()
  const seconds = Math.round(amount * (unit.startsWith('h') ? 3600 : unit.startsWith('m') ? 60 : 1))
  return seconds >= 1 ? seconds : undefined
}

export function languageOf(model: string): string {
  return findModel(model)?.language ?? model
}

/** Strangers write addresses: nothing in one may add a subject, a copy or a text. The sign between its parts stays as it is (RFC 6068). */
export function mailLink(email: string): string {
  return `mailto:${email.split('@').map(encodeURIComponent).join('@')}`
}
