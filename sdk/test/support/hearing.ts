// What was heard of a clip that a microphone plays again and again.

import { expect } from 'vitest'

/**
 * A machine with too much to do delivers sound late, and its browser drops a part of it. What is missing comes again with the next
 * repetition of the clip, so a test waits for the words and not for the length of the clip. An ordinary machine needs one repetition.
 */
const PATIENCE_MS = 240_000

/** Waits until this part of what is said was heard; `read` gives all that was heard so far. */
export async function waitUntilHeard(
  said: string,
  share: number,
  read: () => Promise<string>,
): Promise<void> {
  await expect
    .poll(async () => shareOfWords(said, await read()), { timeout: PATIENCE_MS, interval: 250 })
    .toBeGreaterThanOrEqual(share)
}

/** The part of the words that was recognised, whatever stands between them. */
export function shareOfWords(said: string, heard: string): number {
  const known = new Set(splitWords(heard))
  const words = splitWords(said)
  return words.filter(word => known.has(word)).length / words.length
}

const splitWords = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean)
