// The same model and clips through our engine and through sherpa-onnx, and why they differ where they do.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MODELS } from '@sauti/protocol/models'
import { loadModel } from '@sauti/server/recogniser/model.js'
import { openModelPackage } from '@sauti/server/recogniser/model-package.js'
import { Sessions } from '@sauti/server/recogniser/sessions.js'
import { Utterance } from '@sauti/server/recogniser/utterance.js'
import { readWav, SAMPLES } from './clips.ts'
import { PlainDecoder } from './plain-decoder.ts'
import { Sherpa } from './sherpa.ts'

const NAMES = fileURLToPath(new URL('../../../server/test/fixtures/names', import.meta.url))
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

export async function compareTexts(modelsDir: string): Promise<void> {
  const counts = { clips: 0, asItIs: 0, aligned: 0, alignedHistory: 0 }
  for (const { id, languageCode } of MODELS) {
    const folder = join(modelsDir, id)
    const sherpa = new Sherpa(folder)
    const plain = await PlainDecoder.open(folder)
    const model = await loadModel(
      await openModelPackage(folder),
      new Sessions({ provider: 'cpu', threads: 1 }),
    )
    for (const { name, audio } of readClips().filter(({ language }) => language === languageCode)) {
      const ours = await hear(new Utterance(model, undefined), audio)
      const theirs = sherpa.hear(audio, SHERPA_LEAD, TAIL)
      const padded = new Int16Array(Math.ceil(audio.length / CHUNK) * CHUNK + CHUNK)
      padded.set(audio)
      const sameHistory = await plain.decode(plain.windows(padded, 13, SILENCE), 14)
      counts.clips++
      if (sherpa.hear(audio, 0, 0) === ours) counts.asItIs++
      if (theirs === ours) counts.aligned++
      if (theirs === ours || theirs === sameHistory) counts.alignedHistory++
      else
        console.log(
          `${name}\n  ours    ${ours}\n  sherpa  ${theirs}\n  explained by neither frames nor history`,
        )
    }
  }
  console.log(`the same text as sherpa-onnx, of ${counts.clips} clips:`)
  console.log(`  ${counts.asItIs} when it gets the clip as it is (it is a chunk late and loses the tail)`)
  console.log(`  ${counts.aligned} with its frames aligned to ours and silence behind the clip`)
  console.log(
    `  ${counts.alignedHistory} with its history before the first frame (silence instead of zeros) as well`,
  )
}

async function hear(utterance: Utterance, audio: Int16Array): Promise<string> {
  let at = 0
  for (; at + CHUNK <= audio.length; at += CHUNK) await utterance.hear(audio.subarray(at, at + CHUNK))
  await utterance.finish(audio.subarray(at))
  utterance.release()
  return utterance.text
}

function readClips(): Clip[] {
  const samples = readdirSync(SAMPLES).filter(name => name.endsWith('.wav'))
  const { clips } = JSON.parse(readFileSync(join(NAMES, 'names.json'), 'utf8'))
  return [
    ...samples.map(name => ({
      name,
      language: name.startsWith('kikuyu') ? 'ki' : 'luo',
      audio: readWav(join(SAMPLES, name)),
    })),
    ...clips.map(({ file, language }: { file: string; language: string }) => ({
      name: file,
      language,
      audio: expand(new Int8Array(readFileSync(join(NAMES, file)))),
    })),
  ]
}

/** How the bytes become samples stands in names.json. */
function expand(values: Int8Array): Int16Array {
  return Int16Array.from(values, v => ((Math.sign(v) * (256 ** (Math.abs(v) / 127) - 1)) / 255) * 32_767)
}
