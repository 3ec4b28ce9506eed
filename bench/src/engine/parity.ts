// The same model and clips through our engine and through sherpa-onnx, and why they differ where they do.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MODELS } from '@sauti/protocol/models'
import { loadModel, type Model } from '@sauti/server/recogniser/engine/model.js'
import { Sessions } from '@sauti/server/recogniser/engine/onnx-sessions.js'
import { Utterance } from '@sauti/server/recogniser/engine/utterance.js'
import { openModelPackage } from '@sauti/server/recogniser/package/model-package.js'
import { expand, NAMES, readWav, SAMPLES } from './clips.ts'
import { findNearTie } from './near-tie.ts'
import { PlainDecoder } from './plain-decoder.ts'
import { Sherpa } from './sherpa.ts'

const CHUNK = 17_920
/** sherpa-onnx takes the first nine frames as history, and its frames reach 120 samples further ahead than ours. */
const SHERPA_LEAD = 9 * 160 + 120
const TAIL = 2 * CHUNK
/** Features of digital silence. */
const SILENCE = Math.log(2 ** -24)

interface Clip {
  readonly name: string
  readonly language: string
  readonly audio: Int16Array
}

/** Why a clip's text is the same or not, the simplest reason first. */
type Reason = 'as it is' | 'aligned' | 'history' | 'near tie' | 'unexplained'

export async function compareTexts(modelsDir: string): Promise<void> {
  const reasons: Reason[] = []
  for (const { id, languageCode } of MODELS) {
    const folder = join(modelsDir, id)
    const engines = {
      sherpa: new Sherpa(folder),
      plain: await PlainDecoder.open(folder),
      // Without the language model, which sherpa-onnx does not have.
      model: {
        ...loadModel(await openModelPackage(folder), new Sessions({ provider: 'cpu', threads: 1 })),
        languageModel: undefined,
      },
    }
    for (const clip of readClips().filter(({ language }) => language === languageCode)) {
      reasons.push(await compareClip(engines, clip))
    }
  }
  const upTo = (...counted: Reason[]) => reasons.filter(reason => counted.includes(reason)).length
  console.log(`the same text as sherpa-onnx, of ${reasons.length} clips:`)
  console.log(`  ${upTo('as it is')} when it gets the clip as it is (it is a chunk late and loses the tail)`)
  console.log(`  ${upTo('as it is', 'aligned')} with its frames aligned to ours and silence after the clip`)
  console.log(
    `  ${upTo('as it is', 'aligned', 'history')} with its history before the first frame (silence instead of zeros) as well`,
  )
  console.log(`  ${upTo('near tie')} more differ by the rounding of the features alone, see above`)
  console.log(`  ${upTo('unexplained')} differ for no reason that was found`)
}

interface Engines {
  readonly sherpa: Sherpa
  readonly plain: PlainDecoder
  readonly model: Model
}

async function compareClip({ sherpa, plain, model }: Engines, { name, audio }: Clip): Promise<Reason> {
  const ours = hear(new Utterance(model), audio)
  if (sherpa.hear(audio, 0, 0).text === ours) return 'as it is'
  const theirs = sherpa.hear(audio, SHERPA_LEAD, TAIL)
  if (theirs.text === ours) return 'aligned'
  const padded = new Int16Array(Math.ceil(audio.length / CHUNK) * CHUNK + CHUNK)
  padded.set(audio)
  const sameHistory = await plain.decode(plain.windows(padded, 13, SILENCE))
  if (theirs.text === sameHistory) return 'history'
  const tie = await findNearTie(plain, padded, SILENCE, theirs)
  console.log(`${name}\n  ours                    ${ours}`)
  console.log(`  ours, with its history  ${sameHistory}\n  sherpa-onnx             ${theirs.text}`)
  console.log(
    `  the model puts '${tie.between[0]}' ${tie.margin.toFixed(3)} logits before '${tie.between[1]}' where they part; moved at random by` +
      ` ${tie.rounding.toExponential(1)},\n  as 32-bit rounding moves them, its features give the text of sherpa-onnx ${tie.flips} times of ${tie.tries}`,
  )
  return tie.flips > 0 ? 'near tie' : 'unexplained'
}

function hear(utterance: Utterance, audio: Int16Array): string {
  let at = 0
  for (; at + CHUNK <= audio.length; at += CHUNK) utterance.hear(audio.subarray(at, at + CHUNK))
  utterance.finish(audio.subarray(at))
  utterance.release()
  return utterance.text
}

/** Samples are named by their language: `kikuyu-1.wav`. */
function languageCodeOf(name: string): string {
  const model = MODELS.find(({ language }) => name.startsWith(`${language.toLowerCase()}-`))
  if (!model) throw new Error(`${name} is named by no language`)
  return model.languageCode
}

function readClips(): Clip[] {
  const samples = readdirSync(SAMPLES).filter(name => name.endsWith('.wav'))
  const { clips } = JSON.parse(readFileSync(join(NAMES, 'names.json'), 'utf8'))
  return [
    ...samples.map(name => ({
      name,
      language: languageCodeOf(name),
      audio: readWav(join(SAMPLES, name)),
    })),
    ...clips.map(({ file, language }: { file: string; language: string }) => ({
      name: file,
      language,
      audio: expand(new Int8Array(readFileSync(join(NAMES, file)))),
    })),
  ]
}
