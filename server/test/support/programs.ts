// Programs of the machine that a test may use. vitest.config.ts looks for them; a test skips itself when its program is missing.

import { inject } from 'vitest'

type Name =
  | 'ffmpeg'
  | 'curl'
  | 'strace'
  | 'chromium'
  | 'firefox'
  | 'python'
  | 'pipecat'
  | 'patroni'
  | 'pgbouncer'
  | 'buildah'
  | 'systemd-analyze'
  | 'promtool'
  | 'kubectl'

declare module 'vitest' {
  interface ProvidedContext {
    programs: Record<Name, string | null>
  }
}

export function isMissing(name: Name): boolean {
  return inject('programs')[name] === null
}

/** The path of a program. A test that calls it skips itself where the program is missing. */
export function pathOf(name: Name): string {
  const path = inject('programs')[name]
  if (path === null) throw new Error(`${name} is missing on this machine`)
  return path
}
