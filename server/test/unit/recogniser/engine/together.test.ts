import { chunkSamples } from '@sauti/protocol/audio'
import type { Word } from '@sauti/protocol/stream'
import { afterAll, describe, expect, it } from 'vitest'
import { loadModel } from '#server/recogniser/engine/model.js'
import { Sessions } from '#server/recogniser/engine/onnx-sessions.js'
import { Utterance } from '#server/recogniser/engine/utterance.js'
import { openModelPackage } from '#server/recogniser/package/model-package.js'
import { babble } from '../../../support/recogniser/test-audio.ts'
import { TINY_MODEL } from '../../../support/recogniser/tiny-models.ts'

const sessions = new Sessions({ provider: 'cpu', threads: 1 })
afterAll(() => sessions.release())
const tiny = await openModelPackage(TINY_MODEL)
const model = loadModel(tiny, sessions)

/** Look-aheads with which the tiny model says something on so little audio. */
const TALKATIVE = [13, 0] as const
const END_MS = 60_000

/** How many utterances hear their next chunk in one run, time after time. */
const COMPANIES = [1, 4, 2, 3, 1, 4]

function speech(speaker: number, samples: number): Int16Array {
  return babble(samples * COMPANIES.length, speaker)
}

function wordsAlone(speaker: number, samples: number, chunks: number): Word[] {
  const audio = speech(speaker, samples)
  const utterance = new Utterance(model)
  for (let i = 0; i < chunks; i++) utterance.hear(audio.subarray(i * samples, (i + 1) * samples))
  utterance.finish(audio.subarray(0, 3000))
  utterance.release()
  return utterance.words(0, END_MS)
}

describe('utterances heard together', () => {
  it.each(TALKATIVE)('say what each says alone, whoever is beside them: look-ahead %i', lookAhead => {
    const samples = chunkSamples(lookAhead)
    const speakers = [1, 2, 3, 4].map(speaker => ({
      utterance: new Utterance(model),
      audio: speech(speaker, samples),
      heard: 0,
    }))
    for (const count of COMPANIES) {
      const company = speakers.slice(0, count)
      Utterance.hearTogether(
        company.map(({ utterance, audio, heard }) => ({
          utterance,
          samples: audio.subarray(heard * samples, (heard + 1) * samples),
        })),
      )
      for (const speaker of company) speaker.heard++
    }
    for (const { utterance, audio } of speakers) utterance.finish(audio.subarray(0, 3000))
    const words = speakers.map(({ utterance }) => utterance.words(0, END_MS))
    expect(words.flat()).not.toEqual([])
    expect(words).toEqual(speakers.map(({ heard }, i) => wordsAlone(i + 1, samples, heard)))
  })

  it('is tried where the network allows it, and left alone where scales follow the signal', async () => {
    expect(model.encoder.mostTogether).toBe(4)
    const alone = { ...tiny, encodesBatches: false }
    const own = new Sessions({ provider: 'cpu', threads: 1 })
    expect(loadModel(alone, own).encoder.mostTogether).toBe(1)
    own.release()
  })
})
