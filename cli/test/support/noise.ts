// The same noise every time: which tiny models with random weights transcribe as words.

export function makeNoise(seconds: number): Buffer {
  let state = 1
  const samples = Int16Array.from({ length: seconds * 16_000 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state >> 15
  })
  return Buffer.from(samples.buffer)
}
