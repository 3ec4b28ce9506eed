// Starts a subject in a process of its own and asks it for its figures.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Figures, Question } from './subject-terms.ts'

export const SUBJECTS = ['bare', 'sauti'] as const
export type SubjectName = (typeof SUBJECTS)[number]

export interface Subject {
  readonly port: number
  readonly ca: string
  ask(question: Question): Promise<Figures>
  stop(): Promise<void>
}

const PROGRAM = fileURLToPath(new URL('./subject.js', import.meta.url))

async function startSubject(name: SubjectName): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-bench-'))
  const child = fork(PROGRAM, [name, folder], { execArgv: ['--expose-gc'] })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    ca: readFileSync(join(folder, 'tls', 'ca.pem'), 'utf8'),
    async ask(question) {
      child.send(question)
      const [figures] = await once(child, 'message')
      return figures as Figures
    },
    async stop() {
      child.disconnect()
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function withSubject<T>(name: SubjectName, work: (subject: Subject) => Promise<T>): Promise<T> {
  const subject = await startSubject(name)
  try {
    return await work(subject)
  } finally {
    await subject.stop()
  }
}
