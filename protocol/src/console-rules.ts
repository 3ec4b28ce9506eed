// What the console's pages, their server and the command must agree on besides the schemas. Apart from those, because browsers load it and the
// command starts faster without them.

export const CONSOLE_API = '/console/api'

/**
 * Characters that people write: no control characters, which databases and terminals treat as commands, and none that reverse
 * the direction of the text.
 */
export const PLAIN_CHARACTER = '[^\\p{Cc}\\p{Zl}\\p{Zp}\\u202a-\\u202e\\u2066-\\u2069]'
/** A line that is not blank. */
export const LINE_PATTERN = `^(?=.*\\S)${PLAIN_CHARACTER}*$`
const EMAIL_PART = '[^\\s@<>"\\p{Cc}\\p{Cf}]+'
export const EMAIL_PATTERN = `^${EMAIL_PART}@${EMAIL_PART}\\.${EMAIL_PART}$`
export const MAX_EMAIL_CHARACTERS = 254

export const MIN_PASSWORD_CHARACTERS = 10
export const MAX_PASSWORD_CHARACTERS = 128
/** Credit counts as low below this part of what was granted, and never above this amount: ten minutes of audio. */
export const LOW_CREDIT_PART = 0.1
export const LOW_CREDIT_MOST_MS = 600_000

export interface CreditAmounts {
  readonly available_ms: number
  readonly reserved_ms: number
  readonly consumed_ms: number
}

/** Credit that open sessions hold may be returned, so it counts as available. */
export function creditLevel({
  available_ms,
  reserved_ms,
  consumed_ms,
}: CreditAmounts): 'enough' | 'low' | 'empty' {
  const left = available_ms + reserved_ms
  if (left < 1000) return 'empty'
  return left < Math.min((left + consumed_ms) * LOW_CREDIT_PART, LOW_CREDIT_MOST_MS) ? 'low' : 'enough'
}

/** An owner may do everything; support reads, and grants credit up to a cap; an auditor only reads. */
export const OPERATOR_ROLES = ['owner', 'support', 'auditor'] as const

/** Passkeys of one person. */
export const PASSKEY_LIMIT = 20

/** Starting credit that the approval offers: ten minutes of audio. */
export const STARTING_CREDIT_SECONDS = 600
