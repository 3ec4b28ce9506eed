// What a person sees while it works: one line at the bottom of a terminal with the progress and the words as they come.
// In a pipe or a script, only finished text and notices are written.

import type { WriteStream } from 'node:tty'
import { printable } from '../printable.ts'

interface FileProgress {
  readonly durationMs: number | undefined
  positionMs: number
  delta: string
}

const BAR_CHARACTERS = 20
const CLEAR_LINE = '\r\u001b[2K'
const LEAST_MS_BETWEEN_DRAWS = 80

export class Screen {
  readonly #terminal: WriteStream | undefined
  readonly #files = new Map<string, FileProgress>()
  #lastDrawMs = 0
  #line = ''

  /** `status` is where progress may be shown, if it is a terminal. */
  constructor(status: WriteStream) {
    this.#terminal = status.isTTY ? status : undefined
  }

  begin(name: string, durationMs: number | undefined): void {
    this.#files.set(name, { durationMs, positionMs: 0, delta: '' })
    this.#draw()
  }

  progress(name: string, change: Partial<Pick<FileProgress, 'positionMs' | 'delta'>>): void {
    const file = this.#files.get(name)
    if (file) Object.assign(file, change)
    if (performance.now() - this.#lastDrawMs >= LEAST_MS_BETWEEN_DRAWS) this.#draw()
  }

  end(name: string): void {
    this.#files.delete(name)
    this.#draw()
  }

  /** Finished text: it stays. */
  print(text: string): void {
    this.#erase()
    process.stdout.write(printable(text))
    this.#draw()
  }

  notice(text: string): void {
    this.#erase()
    process.stderr.write(`${printable(text)}\n`)
    this.#draw()
  }

  #erase(): void {
    if (this.#line !== '') this.#terminal?.write(CLEAR_LINE)
    this.#line = ''
  }

  #draw(): void {
    if (!this.#terminal) return
    this.#lastDrawMs = performance.now()
    this.#erase()
    this.#line = printable(describeProgress([...this.#files.values()], this.#terminal.columns ?? 80))
    this.#terminal.write(this.#line)
  }
}

function describeProgress(files: readonly FileProgress[], columns: number): string {
  const [first] = files
  if (!first) return ''
  const heard = files.reduce((sum, file) => sum + file.positionMs, 0)
  const isKnown = files.every(file => file.durationMs !== undefined)
  const total = files.reduce((sum, file) => sum + (file.durationMs ?? 0), 0)
  const count = files.length > 1 ? `${files.length} files ` : ''
  const bar =
    isKnown && total > 0 ? `${drawBar(heard / total)} ${clock(heard)}/${clock(total)}` : clock(heard)
  const head = `${count}${bar} `
  // The newest words matter, so the line is cut on its left.
  const room = Math.max(0, columns - 1 - head.length)
  return head + (first.delta.length > room ? first.delta.slice(first.delta.length - room) : first.delta)
}

function drawBar(part: number): string {
  const filled = Math.round(Math.min(1, part) * BAR_CHARACTERS)
  return `[${'█'.repeat(filled)}${'░'.repeat(BAR_CHARACTERS - filled)}]`
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
