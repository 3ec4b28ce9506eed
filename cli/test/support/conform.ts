// sauti conformance, as tests run it and read its report.

import { afterAll } from 'vitest'
import { MODELS_DIR } from '../../../server/test/support/recogniser/samples.ts'
import { makeFolder, runSauti } from './run-sauti.ts'

export interface Report {
  readonly findings: readonly { id: string; verdict: string; found?: string }[]
  readonly spent: { sessions: number; seconds: number }
}

/** Where a proof is written, with the slow rules; without it the slow rules are left out. */
const PROOF = process.env.SAUTI_PROOF

/** Models that write what they hear. */
export const env = { SAUTI_MODELS_DIR: MODELS_DIR }

const { path, remove } = makeFolder()
afterAll(remove)

/** For ca.pem and reports. */
export { path }

export function proofOptions(name: string): string[] {
  return PROOF === undefined ? [] : ['--slow', '--report', `${PROOF}/conformance-${name}.md`]
}

export function conform(url: string, key: string, ...options: string[]) {
  const args = ['conformance', '--url', url, '--key', key, ...options]
  return runSauti(args, { env: { SAUTI_CA: path('ca.pem') } })
}

/** Rules that are not seen: those left out because they are slow, and a race that a quick service may win against the audio. */
const UNSEEN = /takes more than a minute|the service was ready before the audio reached it/

/** What was not kept, with what was found. */
export function faults({ findings }: Report): string[] {
  return findings
    .filter(({ verdict }) => verdict !== 'kept')
    .map(({ id, found }) => `${id}: ${found}`)
    .filter(fault => !UNSEEN.test(fault))
}
