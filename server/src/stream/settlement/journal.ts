// The settlements that the database has not taken yet, on disk, so that they outlive this process. Holds which session ended
// how and after how many samples: no audio, no text, no secret. One JSON object per line, the last one possibly torn.

import { type FileHandle, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ENDINGS, type StreamEnding } from '../../sessions/lifecycle.ts'

export interface EndedSession {
  readonly sessionId: string
  readonly ending: StreamEnding
  readonly acceptedSamples: number
  readonly endedAt: Date
}

/** A file longer than this starts again from empty once everything is settled. */
const MAX_SETTLED_BYTES = 64 * 1024

export class Journal {
  readonly #file: FileHandle
  readonly #unsettled: Map<string, EndedSession>
  #size: number
  #lines: string[] = []
  /** What could not be written: it goes with the next write, on a line of its own, because a part of it may be on disk already. */
  #refused = ''
  #written: Promise<void> = Promise.resolve()
  #nextWrite: Promise<void> | undefined

  private constructor(file: FileHandle, unsettled: Map<string, EndedSession>, size: number) {
    this.#file = file
    this.#unsettled = unsettled
    this.#size = size
  }

  /** Reads what an earlier process left, and starts a fresh file that holds just that. */
  static async open(path: string): Promise<Journal> {
    const unsettled = parseJournal(await readIfThere(path))
    const text = [...unsettled.values()].map(formatEnded).join('')
    const draft = `${path}.new`
    const file = await open(draft, 'w', 0o600)
    await file.writeFile(text)
    await file.sync()
    await file.close()
    await rename(draft, path)
    await syncFolder(dirname(path))
    return new Journal(await open(path, 'a', 0o600), unsettled, text.length)
  }

  get unsettled(): readonly EndedSession[] {
    return [...this.#unsettled.values()]
  }

  /** Resolves when it is on disk. */
  add(ended: EndedSession): Promise<void> {
    this.#unsettled.set(ended.sessionId, ended)
    return this.#append(formatEnded(ended))
  }

  /** Losing this line costs one needless settlement at the next start, which changes nothing. */
  remove(sessionId: string): Promise<void> {
    this.#unsettled.delete(sessionId)
    return this.#append(`${JSON.stringify({ settled: sessionId })}\n`)
  }

  async close(): Promise<void> {
    // Whoever added the lines of a write that failed has been told.
    await Promise.allSettled([this.#nextWrite ?? this.#written])
    await this.#file.close()
  }

  /** Everything that comes while the disk is busy goes with the next write: one sync serves many sessions. */
  #append(line: string): Promise<void> {
    this.#lines.push(line)
    this.#nextWrite ??= this.#written.then(
      () => this.#write(),
      () => this.#write(),
    )
    return this.#nextWrite
  }

  #write(): Promise<void> {
    const text = this.#lines.join('')
    this.#lines = []
    this.#written = this.#nextWrite!
    this.#nextWrite = undefined
    return this.#store(text)
  }

  async #store(lines: string): Promise<void> {
    const text = this.#refused + lines
    const isFreshStart = this.#unsettled.size === 0 && this.#size > MAX_SETTLED_BYTES
    this.#refused = this.#unsettled.size === 0 ? '\n' : `\n${text}`
    if (isFreshStart) await this.#file.truncate(0)
    else await this.#file.appendFile(text)
    this.#size = isFreshStart ? 0 : this.#size + text.length
    await this.#file.datasync()
    this.#refused = ''
  }
}

function formatEnded({ sessionId, ending, acceptedSamples, endedAt }: EndedSession): string {
  return `${JSON.stringify({ session: sessionId, ending, samples: acceptedSamples, at: endedAt.toISOString() })}\n`
}

/** A line that a crash cut off is not an entry: its session is failed by the reaper like any other of a dead node. */
export function parseJournal(text: string): Map<string, EndedSession> {
  const unsettled = new Map<string, EndedSession>()
  for (const line of text.split('\n')) {
    const record = parseLine(line)
    if (typeof record?.settled === 'string') unsettled.delete(record.settled)
    const ended = record && readEnded(record)
    if (ended) unsettled.set(ended.sessionId, ended)
  }
  return unsettled
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function readEnded({ session, ending, samples, at }: Record<string, unknown>): EndedSession | undefined {
  const endedAt = new Date(String(at))
  if (typeof session !== 'string' || !Number.isSafeInteger(samples) || Number.isNaN(endedAt.getTime()))
    return undefined
  if (typeof ending !== 'string' || !Object.hasOwn(ENDINGS, ending)) return undefined
  return { sessionId: session, ending: ending as StreamEnding, acceptedSamples: samples as number, endedAt }
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync()
  await folder.close()
}
