// Unit tests that share a process must not change or count what all of them have: the next file would fail, and only now and then.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../run.mjs'
import { ALONE } from '../../tests-alone.mjs'

/** What reaches beyond the file: in vitest, in the process, and in the support files that do so for their users. */
const REACHES_BEYOND = new RegExp(
  [
    String.raw`\bvi\.(useFakeTimers|setSystemTime|stubGlobal|stubEnv|spyOn|mock|doMock)\(`,
    String.raw`\bprocess\.(on|once|chdir|umask|setMaxListeners|getActiveResourcesInfo|memoryUsage|report)\b`,
    String.raw`\bprocess\.env(\.\w+|\[[^\]]+\]) = `,
    String.raw`\bdelete process\.env`,
    String.raw`\bglobalThis\.\w+ = `,
    String.raw`/proc/(self|\$\{process\.pid\})/`,
    String.raw`support/(memory|scripted-session)\.ts'`,
  ].join('|'),
)

function listTestFiles(): string[] {
  const folders = readdirSync(ROOT).map(part => `${part}/test/unit`)
  const files = folders
    .filter(folder => existsSync(join(ROOT, folder)))
    .flatMap(folder =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(file => `${folder}/${file}`),
    )
  return files.filter(file => file.endsWith('.test.ts'))
}

it('every file that reaches beyond itself has a process for itself', () => {
  const reaching = listTestFiles().filter(name => REACHES_BEYOND.test(readFileSync(join(ROOT, name), 'utf8')))
  expect(reaching.length).toBeGreaterThan(5)
  expect(reaching.filter(name => !ALONE.includes(name))).toEqual([])
})

it('every file that is listed exists', () => {
  expect(ALONE.filter(name => !existsSync(join(ROOT, name)))).toEqual([])
})
