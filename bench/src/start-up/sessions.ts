// Many short sessions, a few at a time: each says one utterance as fast as it is taken, and leaves with its final.

import { MODEL_IDS } from '@sauti/protocol/models'
import type { Contender } from '../end-to-end/contender.ts'
import { drawUtterance, framesOf } from '../end-to-end/utterance.ts'
import { randomNumbers } from '../engine/random.ts'
import { askPatiently } from '../floods/session.ts'
import { type Address, dial } from '../measure/dial.ts'

const AT_ONCE = 4

export async function holdSessions(contender: Contender, count: number): Promise<void> {
  const random = randomNumbers(1)
  let begun = 0
  const callAgainAndAgain = async () => {
    while (begun < count) {
      const model = MODEL_IDS[begun++ % MODEL_IDS.length]!
      await say(await askPatiently(() => contender.address(model)), drawUtterance(random))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, callAgainAndAgain))
}

async function say(address: Address, utterance: Int16Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const { socket, ready } = dial(address, () => {
      socket.close(1000)
      resolve()
    })
    socket.once('close', code => reject(new Error(`the connection closed with ${code} before its final`)))
    ready.then(() => {
      for (const frame of framesOf(utterance)) socket.send(frame)
      socket.send('{"type":"flush"}')
    }, reject)
  })
}
