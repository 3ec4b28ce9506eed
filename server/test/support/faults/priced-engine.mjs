// An engine that says what its steps cost, and never does one.
process.on('message', ({ type }) => {
  if (type === 'start') {
    process.send({
      type: 'warm',
      costs: {
        'svc-asr-kikuyu-v1': {
          13: { plainMs: 112, biasedMs: 224, flushMs: 56 },
          0: { plainMs: 40, biasedMs: 40, flushMs: 20 },
        },
      },
    })
  } else if (type === 'ping') process.send({ type: 'pong' })
  else if (type === 'stop') process.disconnect()
})
