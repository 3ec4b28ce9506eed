// A decoder's thread that loops forever with its first packet.
import { parentPort } from 'node:worker_threads'

parentPort.on('message', () => {
  for (;;);
})
