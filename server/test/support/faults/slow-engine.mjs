// An engine that says a stream costs a twentieth of a core, and then takes twice as long for every chunk, as if it had half a core.
process.on('message', ({ type, stream, item }) => {
  if (type === 'start') {
    const costs = { 13: { plainMs: 56, biasedMs: 56, flushMs: 28 } }
    process.send({ type: 'warm', costs: { 'svc-asr-kikuyu-v1': costs } })
  } else if (type === 'item') {
    const message = { type: 'heard', samples: item.samples.length, append: '', audioMs: 0 }
    const done = { workMs: 112, cpuMs: 56, expectedMs: 56, isDue: true, lateness: 0.1 }
    process.send({ type: 'stream', stream, message, ...done })
  } else if (type === 'ping') process.send({ type: 'pong' })
  else if (type === 'stop') process.disconnect()
})
