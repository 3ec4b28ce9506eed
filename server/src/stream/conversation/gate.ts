// Step 3, the gate: which of a frame's bytes become accepted samples. Pure. What passes here is counted, billed and recognised;
// what does not pass leaves no trace.

import { BYTES_PER_SAMPLE } from '@sauti/protocol/audio'

/** The first half of a sample whose second half comes with the next frame. */
export type HalfSample = number | undefined

const NOTHING = new Int16Array(0)

export interface Admission {
  /** Often a view of the frame, so good until the frame's memory is used again; empty when nothing whole arrived. */
  readonly samples: Int16Array
  /** Goes in again with the next frame. */
  readonly half: HalfSample
  /** True when the frame held more whole samples than there was room for. */
  readonly cut: boolean
}

/** Takes the whole samples of `half` and `frame`, at most `room` of them. */
export function admit(half: HalfSample, frame: Uint8Array, room: number): Admission {
  if (frame.length === 0) return { samples: NOTHING, half, cut: false }
  const carried = half === undefined ? 0 : 1
  const bytes = carried + frame.length
  const whole = Math.floor(bytes / BYTES_PER_SAMPLE)
  const accepted = Math.min(whole, room)
  return {
    samples: accepted === 0 ? NOTHING : viewSamples(half, frame, accepted),
    half: bytes % BYTES_PER_SAMPLE === 1 ? frame.at(-1) : undefined,
    cut: accepted < whole,
  }
}

/**
 * The wire and every platform that Node supports for this service are little-endian, so bytes are samples and most frames are
 * read where they lie: a copy of each would double the garbage of a stream.
 */
function viewSamples(half: HalfSample, frame: Uint8Array, count: number): Int16Array {
  const liesEven = half === undefined && frame.byteOffset % BYTES_PER_SAMPLE === 0
  return liesEven ? new Int16Array(frame.buffer, frame.byteOffset, count) : copySamples(half, frame, count)
}

/** An Int16Array must not start at an odd address, and a sample in two frames lies nowhere whole. */
function copySamples(half: HalfSample, frame: Uint8Array, count: number): Int16Array {
  const samples = new Int16Array(count)
  const bytes = new Uint8Array(samples.buffer)
  const carried = half === undefined ? 0 : 1
  if (half !== undefined) bytes[0] = half
  bytes.set(frame.subarray(0, bytes.length - carried), carried)
  return samples
}
