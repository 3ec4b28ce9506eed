// Whether a key still works.

import type { ApiKeyView } from '@sauti/protocol/console'
import type { JSX } from 'preact'

export type KeyState = 'valid' | 'expired' | 'revoked'

export function stateOf(key: ApiKeyView, nowMs = Date.now()): KeyState {
  if (key.revoked_at !== null) return 'revoked'
  return key.expires_at !== null && Date.parse(key.expires_at) <= nowMs ? 'expired' : 'valid'
}

const NAMES: Record<KeyState, string> = { valid: 'Valid', expired: 'Expired', revoked: 'Revoked' }
const TONES: Record<KeyState, string> = { valid: 'badge good', expired: 'badge', revoked: 'badge bad' }

export function KeyBadge({ view }: { view: ApiKeyView }): JSX.Element {
  const state = stateOf(view)
  return <span class={TONES[state]}>{NAMES[state]}</span>
}
