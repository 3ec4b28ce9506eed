// A contender: our engine's own code in one process, from samples to text. By default it searches like the others; with
// the argument "language" also by the language model, which they do not have.

import { chunkSamples, type LookAhead } from '@sauti/protocol/audio'
import { loadModel } from '@sauti/server/recogniser/engine/model.js'
import { Sessions } from '@sauti/server/recogniser/engine/onnx-sessions.js'
import { Utterance } from '@sauti/server/recogniser/engine/utterance.js'
import { openModelPackage } from '@sauti/server/recogniser/package/model-package.js'
import { speech } from './clips.ts'
import { serveRounds } from './round.ts'

const sessions = new Sessions({ provider: 'cpu', threads: 1 })
const [, , folder, search] = process.argv
const whole = loadModel(await openModelPackage(folder!), sessions)
const model = search === 'language' ? whole : { ...whole, languageModel: undefined }

serveRounds(({ lookAhead, chunks }) => {
  const samples = chunkSamples(lookAhead as LookAhead)
  const audio = speech(chunks * samples)
  return async () => {
    const utterance = new Utterance(model)
    for (let i = 0; i < chunks; i++) utterance.hear(audio.subarray(i * samples, (i + 1) * samples))
    utterance.release()
    return utterance.text.length
  }
})
