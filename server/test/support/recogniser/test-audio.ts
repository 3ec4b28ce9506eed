// Audio that a test can make again: noise with the rhythm of speech, the same for the same seed.

const SYLLABLES_A_SECOND = 3

export function babble(samples: number, seed = 1): Int16Array {
  let state = seed
  return Int16Array.from({ length: samples }, (_, n) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    const loudness = Math.max(0, Math.sin((n / 16_000) * 2 * Math.PI * SYLLABLES_A_SECOND))
    return (state / 2 ** 31 - 0.5) * 12_000 * loudness
  })
}
