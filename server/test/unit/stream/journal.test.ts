import { type FileHandle, mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type EndedSession, Journal } from '#server/stream/settlement/journal.js'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sauti-journal-'))
  path = join(folder, 'settlements.journal')
})
afterEach(() => rm(folder, { recursive: true }))

function ended(sessionId: string): EndedSession {
  return { sessionId, ending: 'client_closed', acceptedSamples: 16_001, endedAt: new Date(1_700_000_000_000) }
}

/** The next line that is appended to any file is cut off by a full disk. */
async function fillDiskOnce(): Promise<void> {
  const file = await open(path, 'r')
  const shared = Object.getPrototypeOf(file) as FileHandle
  const { appendFile } = shared
  vi.spyOn(shared, 'appendFile').mockImplementationOnce(async function (this: FileHandle, text) {
    await appendFile.call(this, String(text).slice(0, 40))
    throw new Error('ENOSPC: no space left on device, write')
  })
  await file.close()
}

describe('the journal of settlements', () => {
  it('remembers over a restart what was not settled', async () => {
    const before = await Journal.open(path)
    await Promise.all([before.add(ended('a')), before.add(ended('b')), before.add(ended('c'))])
    await before.remove('b')
    await before.close()
    const after = await Journal.open(path)
    expect(after.unsettled).toEqual([ended('a'), ended('c')])
    await after.close()
  })

  it('is on disk when add resolves', async () => {
    const journal = await Journal.open(path)
    await journal.add(ended('a'))
    expect(await readFile(path, 'utf8')).toContain('"session":"a"')
    await journal.close()
  })

  it('skips lines that are incomplete after a crash or damaged', async () => {
    const whole = JSON.stringify({
      session: 'a',
      ending: 'idle_timeout',
      samples: 5,
      at: '2026-01-01T00:00:00.000Z',
    })
    const strange = JSON.stringify({ session: 'x', ending: 'no such ending', samples: 5, at: '2026-01-01' })
    await writeFile(path, `${strange}\nnull\n\n${whole}\n${whole.slice(0, 30)}`)
    const journal = await Journal.open(path)
    expect(journal.unsettled.map(session => session.sessionId)).toEqual(['a'])
    await journal.close()
  })

  it('loses no session to a disk that was full for a moment and took half a line', async () => {
    const journal = await Journal.open(path)
    await journal.add(ended('a'))
    await fillDiskOnce()
    await expect(journal.add(ended('b'))).rejects.toThrow('ENOSPC')
    await journal.add(ended('c'))
    await journal.close()
    const after = await Journal.open(path)
    expect(after.unsettled.map(session => session.sessionId)).toEqual(['a', 'b', 'c'])
    await after.close()
  })

  it('loses no session to a disk that took half a line about one that was settled', async () => {
    const journal = await Journal.open(path)
    const settled = 'a'.padEnd(36, '0')
    await journal.add(ended(settled))
    await fillDiskOnce()
    await expect(journal.remove(settled)).rejects.toThrow('ENOSPC')
    await journal.add(ended('b'))
    await journal.close()
    // The line that was cut off is not repeated: to settle that session again changes nothing.
    expect((await readLines()).map(line => line.slice(0, 14))).toEqual([
      '{"session":"a0',
      '{"settled":"a0',
      '{"session":"b"',
    ])
    const after = await Journal.open(path)
    expect(after.unsettled.map(session => session.sessionId)).toEqual([settled, 'b'])
    await after.close()
  })

  it('does not grow while everything is settled', async () => {
    const journal = await Journal.open(path)
    for (let round = 0; round < 40; round++) {
      const ids = Array.from({ length: 50 }, (_, index) => `${round}-${index}`.padEnd(36, '0'))
      await Promise.all(ids.map(id => journal.add(ended(id))))
      await Promise.all(ids.map(id => journal.remove(id)))
    }
    await journal.close()
    expect((await readFile(path)).length).toBeLessThan(100_000)
  })
})

async function readLines(): Promise<string[]> {
  const text = await readFile(path, 'utf8')
  return text.split('\n').filter(line => line !== '')
}

describe('what the journal holds', () => {
  it('outlives any number of restarts', async () => {
    const first = await Journal.open(path)
    await Promise.all([first.add(ended('a')), first.add(ended('b'))])
    await first.close()
    for (let restart = 0; restart < 3; restart++) {
      const journal = await Journal.open(path)
      expect(journal.unsettled).toEqual([ended('a'), ended('b')])
      await journal.close()
    }
  })

  it('is not thrown away with what is settled, however long the file has become', async () => {
    const journal = await Journal.open(path)
    await journal.add(ended('kept'))
    const ids = Array.from({ length: 500 }, (_, index) => String(index).padEnd(36, '0'))
    await Promise.all(ids.map(id => journal.add(ended(id))))
    await Promise.all(ids.map(id => journal.remove(id)))
    expect((await readFile(path)).length).toBeGreaterThan(64 * 1024)
    await journal.add(ended('last'))
    await journal.close()
    const after = await Journal.open(path)
    expect(after.unsettled).toEqual([ended('kept'), ended('last')])
    await after.close()
  })

  it('is appended to, not written again, while the file is short', async () => {
    const journal = await Journal.open(path)
    await journal.add(ended('a'))
    await journal.remove('a')
    await journal.add(ended('b'))
    await journal.close()
    expect(await readLines()).toHaveLength(3)
  })

  it('is on disk after close, which ends it', async () => {
    const journal = await Journal.open(path)
    const added = journal.add(ended('a'))
    await journal.close()
    await added
    expect(await readLines()).toHaveLength(1)
    await expect(journal.add(ended('b'))).rejects.toThrow()
  })

  it('is not replaced where it cannot be read', async () => {
    await mkdir(path)
    await expect(Journal.open(path)).rejects.toThrow(/, read$/)
    expect(await readdir(folder)).toEqual(['settlements.journal'])
  })

  it.each([
    { session: 5 },
    { samples: '5' },
    { samples: 1.5 },
    { at: 'some day' },
    { ending: ['client_closed'] },
    { ending: undefined },
  ])('leaves out a session with a field that is wrong: %j', async wrong => {
    const good = { session: 'a', ending: 'client_closed', samples: 5, at: '2026-01-01T00:00:00.000Z' }
    const lines = [{ ...good, session: 'x', ...wrong }, good].map(record => JSON.stringify(record))
    await writeFile(path, lines.join('\n'))
    const journal = await Journal.open(path)
    expect(journal.unsettled.map(session => session.sessionId)).toEqual(['a'])
    await journal.close()
  })
})
