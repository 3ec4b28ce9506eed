import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { LEAN_MEMORY } from '#server/settings/lean-memory.js'
import { readText } from './deploy-files.ts'

/** Says by how many MB the process has grown after it used and freed large pieces, with small ones behind them that stay. */
const USE_AND_FREE = `
  const { readFileSync } = require('node:fs')
  const MB = 2 ** 20
  const ownMb = () => Number(/^Pss_Anon: +([0-9]+) kB/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'))[1]) / 1024
  const take = bytes => new Uint8Array(bytes).fill(1)
  const before = ownMb()
  take(30 * MB)
  gc()
  let pieces = Array.from({ length: 20 }, () => take(2 * MB))
  const behind = Array.from({ length: 100 }, () => take(10_000))
  pieces = undefined
  gc()
  // A thread beside this one frees what was collected.
  setTimeout(() => console.log(ownMb() - before, behind.length), 500)`

describe.each([
  ['the image', 'Dockerfile'],
  ['the systemd unit', 'systemd/sauti.service'],
])('%s', (_, path) => {
  it('starts the service so that it holds little memory', () => {
    const words = readText(path).replaceAll('Environment=', '').split(/\s+/)
    const wanted = Object.entries(LEAN_MEMORY).map(([name, value]) => `${name}=${value}`)
    expect(words).toEqual(expect.arrayContaining(wanted))
  })
})

it.runIf(process.platform === 'linux')('gives large pieces back to the system when they are free', () => {
  const options = { env: LEAN_MEMORY, encoding: 'utf8' } as const
  const answer = execFileSync(process.execPath, ['--expose-gc', '-e', USE_AND_FREE], options)
  // Without the limit for large pieces it is 10 MB, with several pools 40.
  expect(Number.parseFloat(answer)).toBeLessThan(5)
})
