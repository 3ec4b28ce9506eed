// When Deepgram's UtteranceEnd is due, by the times of the audio.

import { describe, expect, it } from 'vitest'
import { UtteranceEndTimer } from '#server/stream/wires/deepgram/utterance-end.js'

function startTimer(): { timer: UtteranceEndTimer; pass: (ms: number) => void } {
  let nowMs = 0
  return {
    timer: new UtteranceEndTimer(1_000, () => nowMs),
    pass(ms) {
      nowMs += ms
    },
  }
}

describe('an utterance', () => {
  it('is over when enough silence has come, at the pace of speech, and that is reported once', () => {
    const { timer, pass } = startTimer()
    expect(timer.noteSpeech(500)).toBeUndefined()
    expect(timer.noteWords(2_000, 2_300)).toBeUndefined()
    pass(600)
    expect(timer.noteAudio(2_900)).toBeUndefined()
    pass(100)
    expect(timer.noteAudio(3_000)).toBe(2_000)
    expect(timer.noteAudio(3_100)).toBeUndefined()
    expect(timer.noteSpeech(5_000)).toBeUndefined()
  })

  it('is not over because audio was sent fast', () => {
    const { timer } = startTimer()
    timer.noteWords(2_000, 2_300)
    expect(timer.noteAudio(60_000)).toBeUndefined()
    expect(timer.noteSpeech(2_900)).toBeUndefined()
    expect(timer.noteAudio(60_100)).toBeUndefined()
  })

  it('is over by the time at which the next speech begins', () => {
    const { timer } = startTimer()
    timer.noteWords(2_000, 2_300)
    expect(timer.noteSpeech(3_000)).toBe(2_000)
  })

  it.each([
    [2_999, undefined],
    [3_000, 2_000],
  ])('followed by speech at %i ms that was noticed before its words', (startMs, told) => {
    const { timer } = startTimer()
    timer.noteSpeech(500)
    timer.noteSpeech(startMs)
    timer.noteSpeech(9_000)
    expect(timer.noteWords(2_000, 2_300)).toBe(told)
    // The words of the second: the third speech decides about them.
    expect(timer.noteWords(8_500, 8_800)).toBeUndefined()
  })

  it('waits for the audio, however late it comes', () => {
    const { timer, pass } = startTimer()
    timer.noteWords(2_000, 2_300)
    pass(5_000)
    expect(timer.noteAudio(2_999)).toBeUndefined()
    expect(timer.noteAudio(3_000)).toBe(2_000)
  })

  it('is not followed by speech that began with its last word', () => {
    const { timer } = startTimer()
    timer.noteSpeech(2_000)
    timer.noteSpeech(3_000)
    expect(timer.noteWords(2_000, 2_300)).toBe(2_000)
  })

  it.each([
    [99, undefined],
    [100, 2_000],
  ])('remembers a hundred sounds without words: %i more after the first', (more, told) => {
    const { timer } = startTimer()
    timer.noteSpeech(2_500)
    for (let count = 0; count < more; count++) timer.noteSpeech(9_000)
    expect(timer.noteWords(2_000, 2_300)).toBe(told)
  })

  it('is over with the stream, if there was silence enough', () => {
    const { timer } = startTimer()
    timer.noteWords(2_000, 2_300)
    expect(timer.noteEnd(3_100)).toBe(2_000)
    expect(timer.noteEnd(9_000)).toBeUndefined()
  })
})
