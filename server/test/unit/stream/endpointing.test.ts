import { describe, expect, it } from 'vitest'
import { VOICE_FRAME_SAMPLES, type VoiceListener } from '#server/recogniser/port.js'
import { Endpointer, type Turn } from '#server/stream/conversation/endpointer.js'
import { Endpointing } from '#server/stream/conversation/endpointing.js'
import { NoiseLevel } from '#server/stream/conversation/noise-level.js'

const FRAME_MS = 32

/** One letter per frame: `v` is a voice, `.` is none, `w` is in doubt. */
function hear(endpointer: Endpointer, pattern: string): Turn[] {
  const likelihood = { v: 0.9, w: 0.3, '.': 0.0003 }
  return [...pattern].flatMap((letter, at) => {
    const turn = endpointer.hear(likelihood[letter as 'v' | 'w' | '.'], (at + 1) * FRAME_MS)
    return turn ? [turn] : []
  })
}

describe('an endpointer', () => {
  it('begins speech with its first voice and ends it after the silence that was asked for', () => {
    const turns = hear(new Endpointer(320), `..vvvv${'.'.repeat(9)}v${'.'.repeat(10)}`)
    expect(turns).toEqual([
      { type: 'started', atMs: 64 },
      { type: 'ended', atMs: 16 * FRAME_MS },
    ])
  })

  it('takes neither a click nor doubtful sound for speech', () => {
    expect(hear(new Endpointer(320), '..v.....v....wwww....')).toEqual([])
  })

  it('ends nothing while the sound may be a faint syllable, and counts it as no voice', () => {
    expect(hear(new Endpointer(320), `vvv${'.'.repeat(8)}wwwwvv`)).toHaveLength(1)
    const turns = hear(new Endpointer(320), `vvv${'.'.repeat(8)}wwww.`)
    expect(turns.at(-1)).toEqual({ type: 'ended', atMs: 3 * FRAME_MS })
  })

  it('ends speech in noise that is never quite silent, 200 ms later', () => {
    const doubt = (frames: number) => hear(new Endpointer(320), `vvv${'w'.repeat(frames)}`)
    expect(doubt(16)).toHaveLength(1)
    expect(doubt(17).at(-1)).toEqual({ type: 'ended', atMs: 3 * FRAME_MS })
  })
})

describe('the limits of an endpointer', () => {
  it('are two frames of voice among four: the fifth comes too late', () => {
    expect(hear(new Endpointer(320), 'v..v')).toEqual([{ type: 'started', atMs: 0 }])
    expect(hear(new Endpointer(320), 'v...v...v')).toEqual([])
  })

  it('are likelihoods: voice exceeds one, sure silence is below the other', () => {
    const endpointer = new Endpointer(64)
    for (const endMs of [32, 64, 96]) expect(endpointer.hear(0.5, endMs)).toBeUndefined()
    endpointer.hear(0.51, 128)
    expect(endpointer.hear(0.51, 160)).toEqual({ type: 'started', atMs: 96 })
    expect(endpointer.hear(0.5, 192)).toBeUndefined()
    expect(endpointer.hear(0.002, 224)).toBeUndefined()
    expect(endpointer.hear(0.0019, 256)).toEqual({ type: 'ended', atMs: 160 })
  })

  it('are higher for a voice in sound that is as quiet as the noise', () => {
    const endpointer = new Endpointer(64)
    for (const endMs of [32, 64, 96]) expect(endpointer.hear(0.6, endMs, true)).toBeUndefined()
    endpointer.hear(0.61, 128, true)
    expect(endpointer.hear(0.61, 160, true)).toEqual({ type: 'started', atMs: 96 })
    expect(endpointer.hear(0.6, 192, true)).toBeUndefined()
    expect(endpointer.hear(0, 224, true)).toEqual({ type: 'ended', atMs: 160 })
  })

  it('start anew after every turn', () => {
    const turns = hear(new Endpointer(64), 'vvv..v..vv..')
    expect(turns.map(({ type, atMs }) => `${type} ${atMs / FRAME_MS}`)).toEqual([
      'started 0',
      'ended 3',
      'started 5',
      'ended 10',
    ])
  })

  it('start anew when somebody else ended the utterance', () => {
    const endpointer = new Endpointer(320)
    hear(endpointer, 'vvv')
    expect(endpointer.isSpeech).toBe(true)
    expect(endpointer.stop()).toEqual({ type: 'ended', atMs: 96 })
    expect(endpointer.isSpeech).toBe(false)
    expect(endpointer.hear(0.9, 128)).toBeUndefined()
    expect(endpointer.stop()).toBeUndefined()
    expect(endpointer.hear(0.9, 160)).toBeUndefined()
    expect(endpointer.hear(0.9, 192)).toEqual({ type: 'started', atMs: 128 })
    expect(endpointer.silentForMs).toBe(0)
  })
})

/** A frame of this loudness. */
function frameOf(amplitude: number): Int16Array {
  return new Int16Array(VOICE_FRAME_SAMPLES).fill(amplitude)
}

/** Loud, with a quiet consonant now and then. */
function soundOfVoice(frames: number): Int16Array {
  const loudness = (_: unknown, at: number) => (Math.floor(at / VOICE_FRAME_SAMPLES) % 4 === 3 ? 10 : 1_000)
  return new Int16Array(frames * VOICE_FRAME_SAMPLES).map(loudness)
}

describe('the level of the noise', () => {
  const hear = (noise: NoiseLevel, amplitude: number, frames: number) =>
    Array.from({ length: frames }, () => noise.hear(frameOf(amplitude)))

  it('is not known in the first second', () => {
    const heard = hear(new NoiseLevel(), 100, 40)
    expect(heard.indexOf(true)).toBe(30)
    expect(heard.slice(30)).not.toContain(false)
  })

  it('is that of the quietest tenth, and what is 3 dB louder is more than noise', () => {
    const noise = new NoiseLevel()
    hear(noise, 1_000, 25)
    hear(noise, 100, 6)
    expect(hear(noise, 1_000, 20)).not.toContain(true)
    expect([noise.hear(frameOf(140)), noise.hear(frameOf(142))]).toEqual([true, false])
  })

  it('is not that of a few frames that were quieter still', () => {
    const noise = new NoiseLevel()
    hear(noise, 100, 60)
    hear(noise, 10, 5)
    expect(noise.hear(frameOf(120))).toBe(true)
  })

  it('is no lower than a microphone that hears nothing: its faintest hiss is noise after complete silence', () => {
    const noise = new NoiseLevel()
    hear(noise, 0, 40)
    const hiss = frameOf(0).map((_, at) => at % 2)
    expect(noise.hear(hiss)).toBe(true)
    expect(noise.hear(frameOf(2))).toBe(false)
  })

  it('follows noise that grows, after three seconds', () => {
    const noise = new NoiseLevel()
    hear(noise, 100, 94)
    const heard = hear(noise, 1_000, 94)
    expect(heard.indexOf(true)).toBeGreaterThan(62)
    expect(heard.at(-1)).toBe(true)
  })
})

/** Endpointing with a recogniser that is told how much it still has to hear, and a detector that the test speaks for. */
function start(silenceMs: number, { samplesBefore = 0, queuedSamples = 0 } = {}) {
  const told: object[] = []
  const pushed: number[] = []
  let ends = 0
  let isClosed = false
  const listener: VoiceListener = { onVoice: () => undefined, onLost: () => undefined }
  const endpointing = new Endpointing({
    silenceMs,
    detector: {
      open: () => ({
        push: () => undefined,
        close: () => {
          isClosed = true
        },
      }),
      close: async () => undefined,
    },
    listener,
    samplesBefore,
    recogniser: { push: samples => void pushed.push(samples.length), queuedSamples },
    send: event => void told.push(event),
    onEnd: () => {
      ends += 1
    },
  })
  const say = (likelihood: number, frames: number) => {
    endpointing.push(likelihood > 0.5 ? soundOfVoice(frames) : new Int16Array(frames * VOICE_FRAME_SAMPLES))
    endpointing.judge(Array(frames).fill(likelihood))
  }
  return { endpointing, told, pushed, say, ends: () => ends, isClosed: () => isClosed }
}

describe('endpointing', () => {
  it('hands every sample on, judged or released, and forgets answers to what was released', () => {
    const { endpointing, pushed, told } = start(320)
    endpointing.push(new Int16Array(1_600))
    expect(pushed).toEqual([])
    expect(endpointing.queuedSamples).toBe(1_600)
    endpointing.judge([0.0003])
    endpointing.release()
    expect(pushed.reduce((sum, length) => sum + length)).toBe(1_600)
    endpointing.judge([0.9, 0.9])
    expect(told).toEqual([])
    expect(endpointing.queuedSamples).toBe(0)
  })

  it('tells the times of speech and ends the utterance', () => {
    const { told, say, ends } = start(320)
    say(0.0003, 10)
    say(0.9, 20)
    say(0.0003, 10)
    expect(told).toEqual([
      { type: 'speech_started', audio_ms: 320 },
      { type: 'speech_ended', audio_ms: 960 },
    ])
    expect(ends()).toBe(1)
  })

  it('ends the speech, too, when the client ends the utterance, and begins it again where somebody still speaks', () => {
    const { endpointing, told, say } = start(320)
    say(0.9, 20)
    endpointing.release()
    endpointing.release()
    say(0.9, 10)
    expect(told).toEqual([
      { type: 'speech_started', audio_ms: 0 },
      { type: 'speech_ended', audio_ms: 640 },
      { type: 'speech_started', audio_ms: 640 },
    ])
  })

  it('ends an utterance whose words have stopped although something still sounds like a voice', () => {
    const { endpointing, say, ends } = start(320)
    say(0.9, 30)
    endpointing.noteText(30 * FRAME_MS)
    // A part of a sentence that the recogniser did not understand.
    say(0.9, 200)
    expect(ends()).toBe(0)
    say(0.9, 60)
    expect(ends()).toBe(1)
  })

  it('takes a likelihood that is still high for none where only the noise is left', () => {
    const { endpointing, told, say } = start(320)
    say(0.0003, 40)
    say(0.9, 20)
    endpointing.push(new Int16Array(10 * VOICE_FRAME_SAMPLES))
    endpointing.judge([0.6, 0.6, 0.6, 0.6, 0.55, 0.4, 0.2, 0.1, 0.0003, 0.0003])
    expect(told.at(-1)).toEqual({ type: 'speech_ended', audio_ms: 60 * FRAME_MS })
  })

  it('ends an utterance whose words no voice was detected in', () => {
    const { endpointing, say, ends } = start(320)
    say(0.0003, 30)
    endpointing.noteText(30 * FRAME_MS)
    say(0.0003, 40)
    expect(ends()).toBe(0)
    say(0.0003, 2)
    expect(ends()).toBe(1)
  })

  it('lets the recogniser begin afresh in a long silence', () => {
    const { say, ends } = start(320)
    say(0.0003, 156)
    expect(ends()).toBe(0)
    say(0.0003, 2)
    expect(ends()).toBe(1)
  })
})

describe('the utterance that endpointing judges', () => {
  it('is undecided while the detector owes an answer', () => {
    const { endpointing, isClosed } = start(320)
    endpointing.push(new Int16Array(VOICE_FRAME_SAMPLES - 1))
    expect(endpointing.isJudging).toBe(false)
    endpointing.push(new Int16Array(1))
    expect(endpointing.isJudging).toBe(true)
    endpointing.judge([0.0003])
    expect(endpointing.isJudging).toBe(false)
    endpointing.close()
    expect(isClosed()).toBe(true)
  })

  it('begins with the first sample after those that were accepted before', () => {
    const { say, ends } = start(320, { samplesBefore: 16_000 })
    say(0.0003, 156)
    expect(ends()).toBe(0)
    say(0.0003, 1)
    expect(ends()).toBe(1)
  })

  it.each([20, 49])('is not ended by words of the one before, told at frame %i of 49', frame => {
    const { endpointing, say, ends } = start(320)
    say(0.9, 39)
    say(0.0003, 10)
    expect(ends()).toBe(1)
    endpointing.noteText(frame * FRAME_MS)
    say(0.0003, 100)
    expect(ends()).toBe(1)
    endpointing.noteText(50 * FRAME_MS)
    say(0.0003, 1)
    expect(ends()).toBe(2)
  })

  it('begins with the first sample after those that a client released', () => {
    const { endpointing, say, ends } = start(320)
    endpointing.push(new Int16Array(100 * VOICE_FRAME_SAMPLES))
    endpointing.release()
    endpointing.judge(Array(100).fill(0.9))
    endpointing.noteText(100 * FRAME_MS)
    say(0.0003, 156)
    expect(ends()).toBe(0)
    say(0.0003, 1)
    expect(ends()).toBe(1)
  })

  it('waits for the words of audio that the recogniser has not heard yet', () => {
    const { endpointing, say, ends } = start(320, { queuedSamples: 10 * VOICE_FRAME_SAMPLES })
    say(0.0003, 30)
    endpointing.noteText(30 * FRAME_MS)
    say(0.0003, 51)
    expect(ends()).toBe(0)
    say(0.0003, 1)
    expect(ends()).toBe(1)
  })

  it('is not given up for a pause within speech that is shorter than the silence that was asked for', () => {
    const { say, ends } = start(3_000)
    say(0.9, 160)
    say(0.0003, 60)
    expect(ends()).toBe(0)
  })

  it('is not given up after words that no voice was detected in', () => {
    const { endpointing, say, ends } = start(9_000)
    say(0.0003, 30)
    endpointing.noteText(30 * FRAME_MS)
    say(0.0003, 200)
    expect(ends()).toBe(0)
  })

  it('is not given up within a second of a sound that may be the beginning of speech', () => {
    const { say, ends } = start(320)
    say(0.0003, 150)
    say(0.9, 1)
    say(0.0003, 31)
    expect(ends()).toBe(0)
    say(0.0003, 1)
    expect(ends()).toBe(1)
  })
})
