// What keeps mutation testing honest: every part has tests, a result is used only for the code that it is about, and one that says nothing
// is refused.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { followImports } from '../../../mutation/imports.mjs'
import { listParts } from '../../../mutation/parts.mjs'
import { findFault } from '../../../mutation/results.mjs'
import { ROOT } from '../../run.mjs'

describe('the parts of mutation testing', () => {
  const parts = listParts().filter(({ name }) => name !== 'sql')

  it.each(parts)('$name has tests that run it', ({ tests }) => {
    expect(tests).not.toEqual([])
  })

  it('are judged again when a file changes that a test only reaches through others', () => {
    const test = 'server/test/unit/stream/wires/openai-dialect.test.ts'
    const reached = [...followImports([test])]
    expect(reached).toContain('protocol/src/errors/stream-errors.ts')
    expect(reached).toContain('sdk/src/audio/resample.ts')
    expect(reached.filter(file => !existsSync(join(ROOT, file)))).toEqual([])
  })

  it('are judged again when a function of the ledger or one of its rules changes', () => {
    const reached = [...followImports(['server/test/mutation/run.ts'])]
    expect(reached).toContain('server/test/support/ledger-rules/settling.ts')
    expect(reached).toContain('server/src/ledger/settle.ts')
  })

  it('are not judged again because of what a run wrote', () => {
    const written = join(ROOT, 'mutation/dist/sql.json')
    const isNew = !existsSync(written)
    mkdirSync(join(ROOT, 'mutation/dist'), { recursive: true })
    if (isNew) writeFileSync(written, '[]')
    try {
      expect([...followImports(['server/test/mutation/run.ts'])]).not.toContain('mutation/dist/sql.json')
    } finally {
      if (isNew) rmSync(written)
    }
  })
})

describe('a result of Stryker', () => {
  const source = 'server/src/a.ts'
  const test = 'server/test/unit/a.test.ts'
  const report = (statuses: readonly string[], tests: readonly object[] = [{}]) => ({
    files: { [source]: { mutants: statuses.map(status => ({ status })) } },
    testFiles: { [test]: { tests } },
  })

  it('is kept when each test file was run, survivors and all', () => {
    expect(findFault(report(['Killed', 'Survived', 'NoCoverage', 'Timeout']), source, [test])).toBeUndefined()
  })

  it('is refused when a test file was not run, which is what happens to one that cannot be loaded', () => {
    expect(findFault(report(['Killed'], []), source, [test])).toBe(`no test was run of ${test}`)
    expect(findFault(report(['Killed']), source, [test, 'b.test.ts'])).toBe('no test was run of b.test.ts')
  })

  it('is refused when nothing was changed, nothing was run or nothing came of it', () => {
    expect(findFault(report([]), source, [test])).toBe('nothing was changed')
    expect(findFault(report(['NoCoverage']), source, [test])).toBe('no test runs what was changed')
    expect(findFault(report(['Killed', 'RuntimeError']), source, [test])).toBe('1 changes have no outcome')
  })
})
