// An engine that cannot start.
process.send({ type: 'broken', problem: 'no such graph' })
