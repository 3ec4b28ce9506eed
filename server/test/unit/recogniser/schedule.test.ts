import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextStream, Pace } from '#server/recogniser/schedule.js'

const CHUNK_MS = 1120

describe('due times', () => {
  it('are now for audio in real time, and run ahead for a file sent fast', () => {
    const live = new Pace()
    expect([1120, 2240, 3360].map(now => live.take(now, CHUNK_MS))).toEqual([1120, 2240, 3360])
    const file = new Pace()
    expect([0, 0, 0].map(now => file.take(now, CHUNK_MS))).toEqual([0, 1120, 2240])
  })

  it('give no credit for a pause', () => {
    const pace = new Pace()
    pace.take(1120, CHUNK_MS)
    expect(pace.take(60_000, CHUNK_MS)).toBe(60_000)
    expect(pace.take(60_000, CHUNK_MS)).toBe(61_120)
  })

  it('put a flush before the chunks of others that are due', () => {
    const speaker = new Pace()
    speaker.take(5000, 300)
    expect(speaker.flush(5000)).toBeLessThan(5000)
  })
})

describe('the next stream', () => {
  it('is none when nothing waits', () => {
    expect(nextStream([{ dues: [] }, { dues: [] }])).toBeUndefined()
  })

  it('is the one whose most urgent item is due first', () => {
    const live = { dues: [1000] }
    const file = { dues: [3000, 4000] }
    const flushing = { dues: [1100, 100] }
    expect(nextStream([file, live])).toBe(live)
    expect(nextStream([file, live, flushing])).toBe(flushing)
  })

  it('serves live speech in time beside any files, and the files with the rest', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 4 }), (liveCount, fileCount) => {
        const { live, files } = simulate(liveCount, fileCount)
        // A live chunk waits for the step under way and for the other speakers, never for a file's queue.
        for (const speaker of live) expect(speaker.worstMs).toBeLessThanOrEqual((liveCount + 2) * STEP_MS)
        // What the speakers leave goes to the files, evenly.
        const left = DURATION_MS / STEP_MS - live.reduce((sum, speaker) => sum + speaker.done, 0)
        for (const file of files) expect(file.done).toBeGreaterThanOrEqual(Math.floor(left / fileCount) - 1)
      }),
    )
  })
})

const STEP_MS = 100
const DURATION_MS = 60_000

interface Simulated {
  readonly pace: Pace
  readonly dues: number[]
  done: number
  worstMs: number
}

/** One engine, a chunk in 100 ms, so it has slots for eleven: people who speak, each begun a little later than the last, and files that came all at once. */
function simulate(liveCount: number, fileCount: number) {
  const idle = (): Simulated => ({ pace: new Pace(), dues: [], done: 0, worstMs: 0 })
  const live = Array.from({ length: liveCount }, idle)
  const files = Array.from({ length: fileCount }, idle)
  for (const file of files) for (let i = 0; i < 1000; i++) file.dues.push(file.pace.take(0, CHUNK_MS))
  for (let now = 0; now < DURATION_MS; now += STEP_MS) {
    live.forEach((speaker, i) => {
      const spoken = Math.floor((now - i * 97) / CHUNK_MS)
      while (speaker.done + speaker.dues.length < spoken) speaker.dues.push(speaker.pace.take(now, CHUNK_MS))
    })
    const next = nextStream([...files, ...live])!
    next.worstMs = Math.max(next.worstMs, now + STEP_MS - next.dues.shift()!)
    next.done++
  }
  return { live, files }
}
