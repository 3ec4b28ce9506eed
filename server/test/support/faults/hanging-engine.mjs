// An engine that says that it is warm and then sends nothing more, like one whose runtime is stuck in a run.
process.on('message', ({ type }) => {
  if (type === 'start') process.send({ type: 'warm', costs: {} })
  else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
