// npm run bench -- endpointing [--speech DIR]... [--noise DIR] [--half=choose|report] [--utterances=200|all] [--silence=700] [--only=NAME]
// [--compare] [--alone]: ends of utterances compared with where the speech really ends, with the service's own endpointing and engine. The speech
// is that of the samples unless folders are given; the noise is made here unless a folder is given. --half takes every second recording and sound:
// those to choose a rule on, or those to report with. --compare measures other ways to tell voice from noise beside it, and sherpa-onnx with its
// own rule; --alone only the voice network without the engine, which is faster.

import { parseArgs } from 'node:util'
import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { INSTALLATION } from '@sauti/server/installation.js'
import { loadModel, type Model } from '@sauti/server/recogniser/engine/model.js'
import { Sessions } from '@sauti/server/recogniser/engine/onnx-sessions.js'
import { openModelPackage } from '@sauti/server/recogniser/package/model-package.js'
import { VoiceNetwork } from '@sauti/server/recogniser/voice/voice-network.js'
import { SAMPLES } from '../engine/clips.ts'
import { MODELS } from '../measure/bundled-models.ts'
import {
  type Condition,
  minutesOf,
  type Recordings,
  speakingConditions,
  wordlessSounds,
} from './conditions.ts'
import { writePart, writeQuantile } from './confidence.ts'
import { byBoth, byLevel, byNetwork, cutFrames, type Likelihoods } from './contenders.ts'
import { type Heard, listen } from './listen.ts'
import { choose, type Half, listRecordings, readSound, takeHalf } from './recordings.ts'
import { makeScenes, type Scene } from './scenes.ts'
import { makeSherpaListener } from './sherpa-rules.ts'
import { type Sound, toPcm16 } from './sound.ts'
import { isClean } from './truth.ts'
import { judge, sum, type Verdict } from './verdict.ts'

const MODEL = `${MODELS}/svc-asr-kikuyu-v1`

interface Frames {
  readonly frames: readonly Int16Array[]
  readonly voice: Likelihoods
  readonly level: Likelihoods
}

interface Contender {
  readonly name: string
  hear(sound: Frames): Heard
}

interface Bench {
  readonly network: VoiceNetwork
  readonly silenceMs: number
  readonly contenders: readonly Contender[]
}

export async function run(args: readonly string[]): Promise<void> {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      speech: { ...string, multiple: true, default: [SAMPLES] },
      half: string,
      noise: string,
      utterances: { ...string, default: '200' },
      silence: { ...string, default: '700' },
      only: string,
      compare: { type: 'boolean', default: false },
      alone: { type: 'boolean', default: false },
    },
  })
  const silenceMs = Number(values.silence)
  const bench: Bench = {
    network: new VoiceNetwork(INSTALLATION.voiceModel),
    silenceMs,
    contenders: await chooseContenders(silenceMs, values),
  }
  const half = readHalf(values.half)
  const paths = values.speech.flatMap(folder => takeHalf(listRecordings(folder), half, path => path))
  const wanted = values.utterances === 'all' ? paths.length : Number(values.utterances)
  const recordings = choose(paths, wanted, 1).map(readSound).filter(isClean)
  const utterances = values.utterances === 'all' ? recordings.length : wanted
  const scenes = makeScenes(recordings, utterances)
  const noise = { folder: values.noise, half }
  console.log(`${utterances} utterances of ${recordings.length} recordings, ${values.silence} ms of silence`)
  console.log('with 95 % intervals: sound | by | inside words | in short pauses | missed | delay p50, p99 ms')
  for (const condition of speakingConditions(noise))
    if (condition.name.includes(values.only ?? '')) measureSpeech(bench, scenes, condition, utterances)
  if (values.only === undefined) measureWordless(bench, noise)
}

function readHalf(name: string | undefined): Half | undefined {
  if (name === undefined || name === 'choose' || name === 'report') return name
  throw new Error(`--half is choose or report, not ${name}`)
}

async function chooseContenders(
  silenceMs: number,
  { compare, alone }: { compare: boolean; alone: boolean },
): Promise<Contender[]> {
  const sessions = new Sessions({ provider: 'cpu', threads: 1 })
  const model = loadModel(await openModelPackage(MODEL), sessions)
  const make = (
    name: string,
    likelihoods: (sound: Frames) => Likelihoods,
    words: Model | undefined,
  ): Contender => ({
    name,
    hear: sound => listen(sound.frames, likelihoods(sound), { silenceMs, model: words }),
  })
  const ours = make('service', ({ voice }) => voice, model)
  const network = make('voice network alone', ({ voice }) => voice, undefined)
  if (!compare) return [alone ? network : ours]
  const hearBySherpa = makeSherpaListener(MODEL, silenceMs)
  return [
    ours,
    network,
    make('level and words', ({ level }) => level, model),
    make('voice network, level and words', ({ voice, level }) => byBoth(voice, level), model),
    { name: 'sherpa-onnx, its own rule', hear: ({ frames }) => hearBySherpa(frames) },
  ]
}

function measureSpeech(
  bench: Bench,
  scenes: readonly Scene[],
  { name, place }: Condition,
  utterances: number,
): void {
  const verdicts = bench.contenders.map((): Verdict[] => [])
  for (const scene of scenes) {
    const sound = place(scene)
    const soundMs = sound.length / SAMPLES_PER_MS
    for (const [i, heard] of hearAll(bench, sound).entries())
      verdicts[i]!.push(judge(scene.speech, soundMs, heard.ends, bench.silenceMs))
  }
  for (const [i, contender] of bench.contenders.entries()) {
    const { insideWords, inShortPauses, longPauses, missed, delaysMs } = sum(verdicts[i]!)
    const wrong = [insideWords, inShortPauses].map(count => writePart(count, utterances))
    const delays = [0.5, 0.99].map(part => writeQuantile(delaysMs, part))
    const cells = [name, contender.name, ...wrong, writePart(missed, longPauses), delays.join(', ')]
    console.log(cells.join(' | '))
  }
}

/** Nobody speaks: how often speech seems to start, and how often words are written, per minute. */
function measureWordless(bench: Bench, noise: Recordings): void {
  console.log('sound | by | starts per minute | finals with words per minute')
  for (const { name, sound } of wordlessSounds(noise)) {
    for (const [i, { starts, ends }] of hearAll(bench, sound).entries()) {
      const perMinute = (count: number) => (count / minutesOf(sound)).toFixed(1)
      const spoken = ends.filter(({ text }) => text !== '').length
      console.log([name, bench.contenders[i]!.name, perMinute(starts), perMinute(spoken)].join(' | '))
    }
  }
}

function hearAll({ network, contenders }: Bench, sound: Sound): Heard[] {
  const frames = cutFrames(toPcm16(sound))
  const heard = { frames, voice: byNetwork(network, frames), level: byLevel(frames) }
  return contenders.map(contender => contender.hear(heard))
}
