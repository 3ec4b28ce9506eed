// An engine that says that it is warm and then never anything again, as one does whose runtime is stuck in a run.
process.on('message', ({ type }) => {
  if (type === 'start') process.send({ type: 'warm', costs: {} })
  else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
