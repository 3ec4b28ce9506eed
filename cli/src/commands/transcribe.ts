// sauti transcribe: recordings, a pipe or the microphone into text, over as many sessions as it takes.

import { writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { type Audio, openFile, openMicrophone, openPipe } from '../audio/open-audio.ts'
import { type Command, Failure, type Options, type Result } from '../command.ts'
import { explainFailure } from '../service/explain-failure.ts'
import { openService, SERVICE_OPTIONS, type Service } from '../service/settings.ts'
import { FORMATS, toJson } from '../transcribe/formats.ts'
import { readRequest, type TranscribeRequest } from '../transcribe/request.ts'
import { Screen } from '../transcribe/screen.ts'
import { SessionSlots } from '../transcribe/session-slots.ts'
import { transcribe } from '../transcribe/transcriber.ts'
import type { Transcript } from '../transcribe/transcript.ts'

export const transcribeCommand: Command = {
  name: 'transcribe',
  summary: 'Turn recordings of any length and format, or live speech, into text.',
  list: '[FILE... | - | --microphone]',
  options: {
    model: { value: 'MODEL', description: 'Model, or its language: kikuyu, dholuo.', required: true },
    format: { value: 'FORMAT', description: 'text, json, srt or vtt. Without it: text.' },
    output: {
      value: 'PATH',
      description: 'File to write to, or folder for several. Without it: standard output.',
    },
    phrases: { value: 'FILE', description: 'Names and phrases that are likely to be said, one a line.' },
    'look-ahead': {
      value: 'N',
      description: '13, 6, 3 or 0: less answers sooner and errs more. Without it: 13.',
    },
    microphone: { description: 'Transcribe what is spoken now, until Ctrl-C.' },
    rate: {
      value: 'HZ',
      description: 'Sample rate of raw PCM (mono, 16 bits) on standard input. Without it: 16000.',
    },
    jobs: { value: 'N', description: 'Files at once, as far as the account allows. Without it: 4.' },
    patience: {
      value: 'S',
      description: 'Seconds to go on trying while nothing gets through. Without it: 300.',
    },
    'session-seconds': { value: 'S', description: 'Longest session to reserve. Without it: 300.' },
    ...SERVICE_OPTIONS,
  },
  examples: [
    'sauti transcribe --model kikuyu talk.mp3',
    'sauti transcribe --model dholuo --format srt --output talk.srt talk.mp4',
    'sauti transcribe --model kikuyu --format json --output texts/ *.wav',
    'sauti transcribe --model dholuo --microphone',
    'arecord -t raw -f S16_LE -r 16000 -c 1 | sauti transcribe --model kikuyu -',
  ],
  run: runTranscribe,
}

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
  readonly #slots = new SessionSlots(
    ms => wait(ms),
    () => performance.now(),
  )

  /** `isQuiet`: whoever called prints the result. */
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
    const { files, pipeRateHz } = this.#request
    if (files.length === 0) return [{ name: 'microphone', open: async () => openMicrophone() }]
    const openStandardInput = () => openPipe(process.stdin, pipeRateHz)
    return files.map(name => ({ name, open: name === '-' ? openStandardInput : () => openFile(name) }))
  }

  async #transcribe({ name, open }: Job, isOnly: boolean): Promise<Finished> {
    try {
      const audio = await open()
      this.#screen.begin(name, audio.durationMs)
      // Ctrl-C ends live speech, and what was said until then is still transcribed; a second one ends the program.
      if (audio.stop) process.once('SIGINT', audio.stop)
      const { transcript, failure } = await transcribe(audio, {
        client: this.#service.client,
        connect: this.#service.connect,
        slots: this.#slots,
        ...this.#request,
        hooks: this.#hooks(name, isOnly),
        wait: ms => wait(ms),
        now: () => performance.now(),
      })
      this.#write(name, transcript)
      return { transcript, failure: failure === undefined ? undefined : explainFailure(failure, name) }
    } catch (error) {
      const failure = error instanceof Failure ? error : explainFailure(error, name)
      return { transcript: undefined, failure }
    } finally {
      this.#screen.end(name)
    }
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
