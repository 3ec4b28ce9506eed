// An engine that says that it is warm and then never anything again, as one does whose runtime is stuck in a run.
process.on('message', ({ type }) => {
  if (type === 'start')
    process.send({
      type: 'warm',
      costs: {
        'svc-asr-kikuyu-v1': { 13: { plainMs: 112, biasedMs: 224 }, 0: { plainMs: 40, biasedMs: 40 } },
      },
    })
  else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
