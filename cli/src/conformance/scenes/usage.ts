// GET /v1/usage of an account that has had sessions.

import type { Answer } from '../exchange.ts'
import { FREE, type Scene } from '../rule.ts'
import { reservation } from './reservation.ts'

export const usage: Scene<Answer> = {
  name: 'usage',
  cost: FREE,
  needs: [reservation],
  play: world => world.usage(),
}
