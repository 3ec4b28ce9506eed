// The credential of one session, offered in every wrong way, then rightly, then once more.

import type { RecordedStream } from '../recorded-stream.ts'
import type { Scene } from '../rule.ts'
import type { Session, World } from '../world.ts'

export interface Handshake {
  readonly session: Session
  /** Wrong pairs, by what is wrong with them. */
  readonly malformed: ReadonlyMap<string, RecordedStream>
  readonly forged: RecordedStream
  readonly right: RecordedStream
  /** While the right one is open. */
  readonly second: RecordedStream
  readonly isFirstUndisturbed: boolean
  readonly closingOfFirst: RecordedStream['closing']
  /** After it was closed. */
  readonly late: RecordedStream
  readonly bill: unknown
}

export const handshake: Scene<Handshake> = {
  name: 'handshakes',
  cost: { sessions: 1, seconds: 0 },
  async play(world) {
    const session = await world.session({ max_audio_seconds: 1 })
    const [protocol, credential] = session.protocols
    const offers: Readonly<Record<string, readonly string[]>> = {
      'no subprotocol': [],
      'only the protocol': [protocol],
      'only the credential': [credential],
      'the wrong order': [credential, protocol],
      'a third value': [protocol, credential, 'x'],
      'a malformed credential': [protocol, 'svc.auth.x'],
    }
    const malformed = new Map<string, RecordedStream>()
    for (const [fault, offer] of Object.entries(offers))
      malformed.set(fault, await refused(world, session, offer))
    const forged = await refused(world, session, [protocol, forge(credential)])
    const right = await world.connect(session)
    const second = await refused(world, session, session.protocols)
    const isFirstUndisturbed = await right.ping()
    const closingOfFirst = await right.close()
    const late = await refused(world, session, session.protocols)
    const bill = await world.bill(session)
    return { session, malformed, forged, right, second, isFirstUndisturbed, closingOfFirst, late, bill }
  },
}

/** However it ends; where a deployment accepts it, we close it at once. */
async function refused(world: World, session: Session, offer: readonly string[]): Promise<RecordedStream> {
  const stream = world.offer(session, offer)
  await stream.wait(() => stream.events.some(({ type }) => type === 'ready'))
  if (!stream.isOver) stream.vanish()
  return stream
}

/** As long and of the same letters, and signed by nobody. */
function forge(credential: string): string {
  const letters = [...credential]
  for (let index = 1; index <= 8; index++)
    letters[letters.length - index] = letters.at(-index) === 'A' ? 'B' : 'A'
  return letters.join('')
}
