// The `sauti` command as a user runs it: a process of its own, with files, pipes and an exit code.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SAUTI = fileURLToPath(new URL('../../bin/sauti.js', import.meta.url))

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  readonly env?: Record<string, string | undefined>
  readonly input?: Uint8Array | string
  readonly cwd?: string
  readonly onTerminal?: boolean
  /** Called with the process once it runs. */
  readonly onStart?: (child: ReturnType<typeof spawn>) => void
}

export async function runSauti(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', ...options.env }
  const command = [process.execPath, SAUTI, ...args]
  // `script` gives the command a terminal of its own.
  const terminal = ['script', '-qec', command.join(' '), '/dev/null']
  const [program, ...parameters] = options.onTerminal ? terminal : command
  const child = spawn(program!, parameters, { env, cwd: options.cwd })
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    output.err += text
  })
  // A command that ends early closes its input; that is not an error.
  child.stdin.on('error', () => undefined)
  options.onStart?.(child)
  child.stdin.end(options.input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...output }
}

export function makeFolder(): { path: (name: string) => string; folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-cli-'))
  return {
    folder,
    path: name => join(folder, name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
