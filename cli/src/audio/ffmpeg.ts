// Programs that decode or record what we do not: ffmpeg for every format but WAVE, arecord or ffmpeg for a microphone.

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { InputError } from './input-error.ts'

const INSTALL_FFMPEG =
  'install ffmpeg (Debian, Ubuntu: apt-get install ffmpeg; Fedora: dnf install ffmpeg-free; macOS: brew install ffmpeg; ' +
  'Windows: winget install ffmpeg)'

type Program = ChildProcessByStdio<Writable | null, Readable, Readable>

/** The file's first sound track as a WAVE stream in its own rate, so that one resampler serves every format. */
export async function* decodeFile(path: string): AsyncGenerator<Buffer> {
  if (!isInstalled('ffmpeg')) throw new InputError(`formats other than WAV need ffmpeg: ${INSTALL_FFMPEG}`)
  // "file:" keeps ffmpeg from reading a name with a colon or a leading hyphen as a protocol or an option.
  const input = ['-nostdin', '-v', 'error', '-i', `file:${path}`]
  yield* outputOf('ffmpeg', [...input, '-map', '0:a:0', '-c:a', 'pcm_f32le', '-f', 'wav', 'pipe:1'])
}

/** The same from a pipe. */
export async function* decodePipe(input: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  if (!isInstalled('ffmpeg')) throw new InputError(`formats other than WAV need ffmpeg: ${INSTALL_FFMPEG}`)
  const wanted = ['-map', '0:a:0', '-c:a', 'pcm_f32le', '-f', 'wav', 'pipe:1']
  yield* outputOf('ffmpeg', ['-v', 'error', '-i', 'pipe:0', ...wanted], undefined, input)
}

/** How long the file's sound lasts, if ffprobe can tell; only the progress bar needs it. */
export async function probeDurationMs(path: string): Promise<number | undefined> {
  if (!isInstalled('ffprobe')) return undefined
  const query = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', `file:${path}`]
  try {
    let answer = ''
    for await (const piece of outputOf('ffprobe', query)) answer += piece
    const seconds = Number(answer.trim())
    return seconds > 0 ? seconds * 1000 : undefined
  } catch (error) {
    if (error instanceof InputError) return undefined
    throw error
  }
}

/** Raw PCM of the wire from the system's microphone, until the signal. */
export async function* recordMicrophone(rateHz: number, over: AbortSignal): AsyncGenerator<Buffer> {
  const raw = ['-ac', '1', '-ar', `${rateHz}`, '-f', 's16le', 'pipe:1']
  if (process.platform === 'linux' && isInstalled('arecord')) {
    yield* outputOf('arecord', ['-q', '-t', 'raw', '-f', 'S16_LE', '-c', '1', '-r', `${rateHz}`], over)
  } else if (isInstalled('ffmpeg')) {
    yield* outputOf('ffmpeg', ['-nostdin', '-v', 'error', ...microphoneInput(), ...raw], over)
  } else {
    throw new InputError(`recording needs ffmpeg or arecord: ${INSTALL_FFMPEG}`)
  }
}

function microphoneInput(): string[] {
  if (process.platform === 'darwin') return ['-f', 'avfoundation', '-i', ':default']
  if (process.platform === 'win32') return ['-f', 'dshow', '-i', 'audio=default']
  return ['-f', 'alsa', '-i', 'default']
}

/** Ends with the program, or quietly with the signal. */
async function* outputOf(
  program: string,
  parameters: readonly string[],
  over?: AbortSignal,
  input?: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  // In a process group of its own: Ctrl-C is for us, and we end the program.
  const stdio = [input ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const
  const child = spawn(program, parameters, { stdio: [...stdio], detached: true }) as Program
  if (input && child.stdin) {
    // A program that needs no more input may close it.
    child.stdin.on('error', () => undefined)
    Readable.from(input).pipe(child.stdin)
  }
  const ended = once(child, 'close') as Promise<[number | null]>
  const stop = () => child.kill()
  over?.addEventListener('abort', stop)
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    complaint = (complaint + text).slice(-500)
  })
  try {
    for await (const piece of child.stdout) yield piece
    const [code] = await ended
    if (code !== 0 && !over?.aborted)
      throw new InputError(
        over ? explainMicrophone(program, complaint) : `${program} could not read it: ${lastLine(complaint)}`,
      )
  } finally {
    // The reader may have stopped early; then the program must end, too.
    stop()
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}

const MICROPHONE_PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [
    /no such file|cannot find card|no soundcards|unknown pcm|no such device|invalid argument/i,
    'no microphone was found; connect one, then try again',
  ],
  [
    /busy|resource temporarily/i,
    'the microphone is in use by another program; close that one, then try again',
  ],
  [
    /permission|not permitted|denied/i,
    'the microphone may not be used; allow it in the system settings, or join the group "audio"',
  ],
]

/** What the recorder's messages mean to the user. */
function explainMicrophone(program: string, complaint: string): string {
  const known = MICROPHONE_PROBLEMS.find(([pattern]) => pattern.test(complaint))
  return known ? known[1] : `the microphone could not be opened: ${program}: ${lastLine(complaint)}`
}

export function isInstalled(program: string): boolean {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  return (process.env.PATH ?? '')
    .split(delimiter)
    .some(folder => isExecutable(join(folder, program + suffix)))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
