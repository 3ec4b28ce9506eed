// Real Opus for tests: packets of speech that libopus encoded from the bundled samples, taken out of their Ogg files.

import { readFileSync } from 'node:fs'

const FOLDER = new URL('../../fixtures/opus/', import.meta.url)
/** Of the fixtures: 20 ms each. */
export const PACKET_MS = 20
const HEADER_BYTES = 27
/** The first two packets of a file are its headers. */
const HEADER_PACKETS = 2

export function readOpusPackets(name: 'kikuyu-1' | 'dholuo-1'): Buffer[] {
  return takeOpusPackets(readFileSync(new URL(`${name}.opus`, FOLDER)))
}

/** Packets of an Ogg file whose packets all end on the page where they begin, or go on with the next (RFC 3533). */
export function takeOpusPackets(ogg: Buffer): Buffer[] {
  const packets: Buffer[] = []
  let open: Buffer[] = []
  for (let at = 0; at < ogg.length; ) {
    const sizes = ogg.subarray(at + HEADER_BYTES, at + HEADER_BYTES + ogg[at + 26]!)
    at += HEADER_BYTES + sizes.length
    for (const size of sizes) {
      open.push(ogg.subarray(at, at + size))
      at += size
      if (size === 255) continue
      packets.push(Buffer.concat(open))
      open = []
    }
  }
  return packets.slice(HEADER_PACKETS)
}
