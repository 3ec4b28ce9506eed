// What of a file will be transcribed: told before anything is sent.

import { MAX_AUDIO_SECONDS } from '@sauti/protocol/audio'

export interface Plan {
  readonly name: string
  readonly lengthMs: number
  /** What the credit covers, in whole seconds; all of it where there is enough. */
  readonly coveredMs: number
  readonly billedMs: number
  readonly sessions: number
}

export function planFile(name: string, lengthMs: number, availableMs: number): Plan {
  const availableSecondsMs = Math.floor(availableMs / 1000) * 1000
  const coveredMs = Math.min(lengthMs, availableSecondsMs)
  return {
    name,
    lengthMs,
    coveredMs,
    billedMs: Math.ceil(coveredMs / 1000) * 1000,
    sessions: Math.max(1, Math.ceil(coveredMs / (MAX_AUDIO_SECONDS * 1000))),
  }
}

/** A short file that is covered whole needs no question. */
export function needsConsent(plan: Plan): boolean {
  return plan.coveredMs < plan.lengthMs || plan.sessions > 1
}
