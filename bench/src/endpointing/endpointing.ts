// npm run bench -- endpointing [--speech DIR] [--noise DIR] [--utterances=200] [--silence=700] [--only=NAME] [--compare] [--alone]: ends of
// utterances compared with where the speech really ends, with the service's own endpointing and engine. The speech is that of the samples unless
// a folder is given; the noise is made here unless a folder is given. --compare measures other ways to tell voice from noise beside it, and
// sherpa-onnx with its own rule; --alone only the voice network without the engine, which is faster.

import { parseArgs } from 'node:util'
import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { loadModel, type Model } from '@sauti/server/recogniser/engine/model.js'
import { Sessions } from '@sauti/server/recogniser/engine/onnx-sessions.js'
import { openModelPackage } from '@sauti/server/recogniser/package/model-package.js'
import { VoiceNetwork } from '@sauti/server/recogniser/voice/voice-network.js'
import { SAMPLES } from '../engine/clips.ts'
import { MODELS } from '../measure/bundled-models.ts'
import { type Condition, minutesOf, speakingConditions, wordlessSounds } from './conditions.ts'
import { byBoth, byLevel, byNetwork, cutFrames, type Likelihoods } from './contenders.ts'
import { type Heard, listen } from './listen.ts'
import { choose, listRecordings, readSound } from './recordings.ts'
import { makeScenes, type Scene } from './scenes.ts'
import { makeSherpaListener } from './sherpa-rules.ts'
import { quantile, type Sound, toPcm16 } from './sound.ts'
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
      speech: { ...string, default: SAMPLES },
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
    network: new VoiceNetwork(`${MODELS}/voice/silero-vad-v5.onnx`),
    silenceMs,
    contenders: await chooseContenders(silenceMs, values),
  }
  const utterances = Number(values.utterances)
  const recordings = choose(listRecordings(values.speech), utterances, 1).map(readSound).filter(isClean)
  const scenes = makeScenes(recordings, utterances)
  console.log(`${utterances} utterances of ${recordings.length} recordings, ${values.silence} ms of silence`)
  console.log('sound | by | inside words | in short pauses | missed | delay p50, p99 ms')
  for (const condition of speakingConditions(values.noise))
    if (condition.name.includes(values.only ?? '')) measureSpeech(bench, scenes, condition)
  if (values.only === undefined) measureWordless(bench, values.noise)
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

function measureSpeech(bench: Bench, scenes: readonly Scene[], { name, place }: Condition): void {
  const verdicts = bench.contenders.map((): Verdict[] => [])
  for (const scene of scenes) {
    const sound = place(scene)
    const soundMs = sound.length / SAMPLES_PER_MS
    for (const [i, heard] of hearAll(bench, sound).entries())
      verdicts[i]!.push(judge(scene.speech, soundMs, heard.ends, bench.silenceMs))
  }
  for (const [i, contender] of bench.contenders.entries()) {
    const { insideWords, inShortPauses, longPauses, missed, delaysMs } = sum(verdicts[i]!)
    const delays = [0.5, 0.99].map(part => quantile(delaysMs, part).toFixed())
    const cells = [name, contender.name, insideWords, inShortPauses, `${missed} of ${longPauses}`]
    console.log([...cells, delays.join(', ')].join(' | '))
  }
}

/** Nobody speaks: how often speech seems to start, and how often words are written, per minute. */
function measureWordless(bench: Bench, noiseFolder: string | undefined): void {
  console.log('sound | by | starts per minute | finals with words per minute')
  for (const { name, sound } of wordlessSounds(noiseFolder)) {
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
