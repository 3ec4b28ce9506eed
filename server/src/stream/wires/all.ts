// Every protocol that clients can stream with. A new one is a folder here and a line in this list.

import type { Wire } from '../dialect.ts'
import { createDeepgramWire } from './deepgram/wire.ts'
import type { KeyAdmissionParts } from './key-admission.ts'
import { createOpenAiWire } from './openai/wire.ts'
import { createSautiWire, type SautiWireParts } from './sauti/wire.ts'

/** What wires are built from. */
export interface WireParts extends Omit<SautiWireParts, 'db'>, Omit<KeyAdmissionParts, 'node'> {}

export function createWires(parts: WireParts): readonly Wire[] {
  return [createSautiWire(parts), createDeepgramWire(parts), createOpenAiWire(parts)]
}
