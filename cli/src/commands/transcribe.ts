// sauti transcribe: recordings, a pipe or the microphone into text, over as many sessions as it takes.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { SautiError, SessionSlots } from '@sauti/client'
import { MODELS } from '@sauti/protocol/models'
import { type Audio, openFile, openMicrophone, openPipe } from '../audio/open-audio.ts'
import { type Command, Failure, type Options, type Result } from '../command.ts'
import { explainFailure } from '../service/explain-failure.ts'
import { openService, SERVICE_OPTIONS, type Service } from '../service/settings.ts'
import { FORMATS, toJson } from '../transcribe/formats.ts'
import { readRequest, type TranscribeRequest } from '../transcribe/request.ts'
import { Screen } from '../transcribe/screen.ts'
import { transcribe } from '../transcribe/transcriber.ts'
import type { Transcript } from '../transcribe/transcript.ts'

const LANGUAGES = MODELS.map(({ language }) => language.toLowerCase())

export const transcribeCommand: Command = {
  name: 'transcribe',
  list: '[FILE... | - | --microphone]',
  options: {
    model: {
      value: 'MODEL',
      description: `Model, or its language: ${LANGUAGES.join(', ')}.`,
      required: true,
    },
    format: { value: 'FORMAT', description: 'text, json, srt or vtt. Default: text.' },
    output: {
      value: 'PATH',
      description: 'File to write to, or folder for several. Default: standard output.',
    },
    phrases: { value: 'FILE', description: 'Names and phrases that are likely to be said, one per line.' },
    'look-ahead': {
      value: 'N',
      description: '13, 6, 3 or 0. Lower values show words sooner but make more mistakes. Default: 13.',
    },
    microphone: { description: 'Transcribe the microphone until Ctrl-C.' },
    raw: { description: 'The input is raw PCM: mono, signed 16 bits, little-endian.' },
    rate: { value: 'HZ', description: 'Sample rate of --raw input. Default: 16000.' },
    jobs: { value: 'N', description: 'Files to transcribe at once, if the account allows it. Default: 4.' },
    patience: {
      value: 'S',
      description: 'Seconds to keep retrying while the service cannot be reached. Default: 300.',
    },
    'session-seconds': { value: 'S', description: 'Longest session to reserve. Default: 300.' },
    ...SERVICE_OPTIONS,
  },
  examples: [
    'sauti transcribe --model kikuyu talk.mp3',
    'sauti transcribe --model dholuo --format srt --output talk.srt talk.mp4',
    'sauti transcribe --model kikuyu --format json --output texts/ *.wav',
    'sauti transcribe --model dholuo --microphone',
    'curl -s https://example.org/talk.mp3 | sauti transcribe --model kikuyu -',
    'arecord -t raw -f S16_LE -r 16000 -c 1 | sauti transcribe --model kikuyu --raw -',
  ],
  run: runTranscribe,
}

function isSilent({ utterances }: Transcript): boolean {
  return utterances.every(({ text }) => text === '')
}

const describe = (name: string) => (name === '-' ? 'standard input' : name)

interface Job {
  readonly name: string
  readonly open: () => Promise<Audio>
}

interface Finished {
  readonly transcript: Transcript | undefined
  readonly failure: Failure | undefined
}

async function runTranscribe(options: Options): Promise<Result> {
  const request = readRequest(options)
  const work = new TranscribeWork(request, openService(options), options.flag('json'))
  const finished = await work.run()
  const transcripts = finished.flatMap(({ transcript }) => (transcript ? [toJson(transcript)] : []))
  const failures = finished.flatMap(({ failure }) => (failure ? [failure] : []))
  return { json: { transcripts }, text: '', exitCode: failures[0]?.exitCode ?? 0 }
}

class TranscribeWork {
  readonly #request: TranscribeRequest
  readonly #service: Service
  readonly #isQuiet: boolean
  readonly #screen = new Screen(process.stderr)
  readonly #slots = new SessionSlots()

  /** `isQuiet`: the caller prints the result. */
  constructor(request: TranscribeRequest, service: Service, isQuiet: boolean) {
    this.#request = request
    this.#service = service
    this.#isQuiet = isQuiet
  }

  /** As many at once as `--jobs` allows; what they print comes in the order of the files. */
  async run(): Promise<Finished[]> {
    const jobs = this.#jobs()
    const waiting = [...jobs.entries()]
    const finished: Promise<Finished>[] = []
    let printed: Promise<unknown> = Promise.resolve()
    const worker = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [index, job] = next
        const done = this.#transcribe(job, jobs.length === 1)
        finished[index] = done
        const before = printed
        printed = Promise.all([before, done]).then(([, result]) => this.#print(job, result, jobs.length))
        await done
      }
    }
    await Promise.all(Array.from({ length: this.#request.jobs }, worker))
    await printed
    return Promise.all(finished)
  }

  #jobs(): Job[] {
    const { files, raw } = this.#request
    if (files.length === 0) return [{ name: 'microphone', open: openMicrophone }]
    const openStandardInput = () => openPipe(process.stdin, raw)
    return files.map(name => ({ name, open: name === '-' ? openStandardInput : () => openFile(name, raw) }))
  }

  async #transcribe({ name, open }: Job, isOnly: boolean): Promise<Finished> {
    try {
      const audio = await open()
      this.#screen.begin(name, audio.durationMs)
      if (this.#request.files.length === 0) this.#screen.notice('listening, Ctrl-C to stop')
      // Ctrl-C ends live speech, and what was said until then is still transcribed; a second one ends the program.
      if (audio.stop) process.once('SIGINT', audio.stop)
      const { transcript, failure } = await transcribe(audio, {
        client: this.#service.client,
        connect: this.#service.connect,
        slots: this.#slots,
        ...this.#request,
        hooks: this.#hooks(name, isOnly),
      })
      if (failure === undefined && isSilent(transcript))
        this.#screen.notice(`${describe(name)}: no speech was recognised`)
      this.#write(name, transcript)
      return {
        transcript,
        failure: failure === undefined ? undefined : await this.#explain(failure, describe(name)),
      }
    } catch (error) {
      const failure = error instanceof Failure ? error : explainFailure(error, describe(name))
      return { transcript: undefined, failure }
    } finally {
      this.#screen.end(name)
    }
  }

  /** For an unknown model the message lists those that exist. */
  async #explain(failure: unknown, name: string): Promise<Failure> {
    const explained = explainFailure(failure, name)
    if (!(failure instanceof SautiError) || failure.code !== 'model_not_found') return explained
    const models = await this.#service.client.models().catch(() => [])
    const list = models.map(model => `${model.id} (${model.language.toLowerCase()})`).join(', ')
    if (list === '') return explained
    return new Failure(`${explained.message} Available models: ${list}.`, {
      cause: failure,
      exitCode: explained.exitCode,
    })
  }

  #hooks(name: string, isOnly: boolean) {
    const printsLines = isOnly && this.#isPrintedLine
    return {
      onDelta: (delta: string) => this.#screen.progress(name, { delta }),
      onProgress: (positionMs: number) => this.#screen.progress(name, { positionMs }),
      onNotice: (notice: string) => this.#screen.notice(`${name}: ${notice}`),
      onUtterance: ({ text }: { text: string }) => {
        this.#screen.progress(name, { delta: '' })
        if (printsLines && text !== '') this.#screen.print(`${text}\n`)
      },
    }
  }

  /** Text of a single file is printed line by line as it comes. */
  get #isPrintedLine(): boolean {
    const { format, files, outputOf } = this.#request
    return format === 'text' && !this.#isQuiet && outputOf(files[0] ?? 'microphone') === undefined
  }

  #write(name: string, transcript: Transcript): void {
    const output = this.#request.outputOf(name)
    if (output === undefined) return
    try {
      mkdirSync(dirname(output), { recursive: true })
      writeFileSync(output, FORMATS[this.#request.format].write(transcript))
    } catch (cause) {
      throw new Failure(`${output} cannot be written: ${(cause as Error).message}`, { cause })
    }
  }

  #print({ name }: Job, { transcript, failure }: Finished, count: number): void {
    if (failure) this.#screen.notice(`sauti: ${failure.message}`)
    if (!transcript || this.#isQuiet || this.#request.outputOf(name) !== undefined) return
    const text = FORMATS[this.#request.format].write(transcript)
    if (count > 1 && this.#request.format === 'text') this.#screen.print(`==> ${name} <==\n${text}\n`)
    else if (!this.#isPrintedLine) this.#screen.print(text)
  }
}
