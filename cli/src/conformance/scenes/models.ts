// GET /v1/models, by somebody without a key.

import type { Answer } from '../exchange.ts'
import { FREE, type Scene } from '../rule.ts'

export const modelList: Scene<Answer> = {
  name: 'model list',
  cost: FREE,
  play: world => world.askWithoutKey({ path: '/v1/models' }),
}
