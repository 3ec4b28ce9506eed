// Every rule, in the order in which they are looked at: first what costs nothing.

import type { Rule } from '../rule.ts'
import { conversationRules } from './conversation.ts'
import { endingRules } from './endings.ts'
import { handshakeRules } from './handshake.ts'
import { idempotencyRules } from './idempotency.ts'
import { modelRules } from './models.ts'
import { refusalRules } from './refusals.ts'
import { sessionRules } from './sessions.ts'
import { transcriptRules } from './transcript.ts'
import { usageRules } from './usage.ts'

export const RULES: readonly Rule[] = [
  ...modelRules,
  ...refusalRules,
  ...usageRules,
  ...sessionRules,
  ...idempotencyRules,
  ...handshakeRules,
  ...conversationRules,
  ...transcriptRules,
  ...endingRules,
]
