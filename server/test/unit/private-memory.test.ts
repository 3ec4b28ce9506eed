import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { keepMemoryPrivate } from '#server/private-memory.js'

const MODULE = import.meta.resolve('#server/private-memory.js')

describe('memory stays private', () => {
  it('diagnostic reports are turned off, whatever options ask for them', () => {
    const script = `
      const { keepMemoryPrivate } = await import(${JSON.stringify(MODULE)})
      const before = process.report.reportOnFatalError && process.report.reportOnUncaughtException
      keepMemoryPrivate('')
      const { reportOnFatalError, reportOnUncaughtException, reportOnSignal } = process.report
      console.log(JSON.stringify([before, reportOnFatalError, reportOnUncaughtException, reportOnSignal]))`
    const options = ['--report-on-fatalerror', '--report-uncaught-exception', '--report-on-signal']
    const said = execFileSync(process.execPath, [...options, '--input-type=module', '--eval', script])
    expect(JSON.parse(String(said))).toEqual([true, false, false, false])
  })

  it('options that write memory to disk or open it are named', () => {
    const options = ['--heapsnapshot-signal=SIGUSR2', '--max-old-space-size=4096', '--report-on-signal']
    expect(keepMemoryPrivate('--inspect=0.0.0.0 --heap-prof --enable-source-maps', options)).toEqual([
      '--heapsnapshot-signal',
      '--inspect',
      '--heap-prof',
    ])
    expect(keepMemoryPrivate('', [])).toEqual([])
  })
})
