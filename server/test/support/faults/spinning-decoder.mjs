// A decoder that takes its file and then loops forever, as a broken file may make one do.
process.stdin.on('data', () => undefined)
process.stdin.on('end', () => {
  for (;;);
})
