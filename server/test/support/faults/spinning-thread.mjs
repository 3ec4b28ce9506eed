// A decoder's thread that turns in a circle with its first packet.
import { parentPort } from 'node:worker_threads'

parentPort.on('message', () => {
  for (;;);
})
