// Wrong behaviours, each with the rule that must notice it. One is switched on at a time.

import { credentials } from './credentials.ts'
import { endings } from './endings.ts'
import type { Mutation } from './make.ts'
import { refusals } from './refusals.ts'
import { sessions } from './sessions.ts'
import { stream } from './stream.ts'

export const MUTATIONS: readonly Mutation[] = [
  ...refusals,
  ...sessions,
  ...credentials,
  ...stream,
  ...endings,
]
