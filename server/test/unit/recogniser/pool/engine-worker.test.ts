import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const WORKER = fileURLToPath(import.meta.resolve('#server/recogniser/pool/engine-worker.js'))

it('ends quietly when it is told to before it listens', async () => {
  const engine = fork(WORKER, { stdio: ['ignore', 'inherit', 'pipe', 'ipc'] })
  let complaint = ''
  engine.stderr!.on('data', text => {
    complaint += text
  })
  engine.send({ type: 'ping' })
  engine.send({ type: 'stop' })
  expect(await once(engine, 'exit')).toEqual([0, null])
  expect(complaint).toBe('')
})
