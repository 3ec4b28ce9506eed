// Tests that share a process must not change or count what all of them have: the next file would fail, and only now and then.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../run.mjs'
import { ALONE, SHARING_FILES, SHARING_FOLDERS } from '../../tests-alone.mjs'

/** What reaches beyond the file: in vitest, in the process, and in the support files that do so for their users. */
const REACHES_BEYOND = new RegExp(
  [
    String.raw`\bvi\.(useFakeTimers|setSystemTime|stubGlobal|stubEnv|mock|doMock)\(`,
    // A recogniser belongs to the file that watches it.
    String.raw`\bvi\.spyOn\((?!recogniser,)`,
    String.raw`\bprocess\.(on|once|chdir|umask|setMaxListeners|getActiveResourcesInfo|memoryUsage|report)\b`,
    String.raw`\bprocess\.env(\.\w+|\[[^\]]+\]) = `,
    String.raw`\bdelete process\.env`,
    String.raw`\bglobalThis\.\w+ = `,
    String.raw`/proc/(self|\$\{process\.pid\})/`,
    String.raw`\bcountChildren\b`,
    String.raw`support/(memory|scripted-session)\.ts'`,
  ].join('|'),
)

const UNIT_FOLDERS = readdirSync(ROOT).map(part => `${part}/test/unit`)

function listTestFiles(folders: readonly string[]): string[] {
  const files = folders
    .filter(folder => existsSync(join(ROOT, folder)))
    .flatMap(folder =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(file => `${folder}/${file}`),
    )
  return files.filter(file => file.endsWith('.test.ts'))
}

function findReaching(files: readonly string[]): string[] {
  return files.filter(name => REACHES_BEYOND.test(readFileSync(join(ROOT, name), 'utf8')))
}

it('every unit test that reaches beyond itself has a process for itself', () => {
  const reaching = findReaching(listTestFiles(UNIT_FOLDERS))
  expect(reaching.length).toBeGreaterThan(5)
  expect(reaching.filter(name => !ALONE.includes(name))).toEqual([])
})

it('no service test that shares a process reaches beyond itself; others do', () => {
  const sharing = [...listTestFiles(SHARING_FOLDERS), ...SHARING_FILES]
  expect(sharing.length).toBeGreaterThan(30)
  expect(findReaching(sharing)).toEqual([])
  const others = listTestFiles(['server/test/service/stream'])
  expect(findReaching(others)).toContain('server/test/service/stream/floods.test.ts')
})

it('every file that is listed exists', () => {
  expect([...ALONE, ...SHARING_FILES].filter(name => !existsSync(join(ROOT, name)))).toEqual([])
})
