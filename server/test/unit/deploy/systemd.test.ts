import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isMissing, pathOf } from '../../support/programs.ts'
import { DEPLOY, readText } from './deploy-files.ts'

/** What systemd says about the unit with its drop-in. Node may be installed elsewhere than where Debian has it. */
function verify(unit: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-systemd-test-'))
  cpSync(join(DEPLOY, 'systemd'), folder, { recursive: true })
  writeFileSync(
    join(folder, 'sauti.service'),
    unit.replace('ExecStart=/usr/bin/node', `ExecStart=${process.execPath}`),
  )
  const { stderr } = spawnSync(pathOf('systemd-analyze'), ['verify', 'sauti.service'], {
    // The colon at the end adds systemd's own folders.
    env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  // Other units of this machine are not ours to judge.
  return stderr.split('\n').filter(line => line.includes('sauti.service'))
}

it.skipIf(isMissing('systemd-analyze'))(
  'is read by systemd without a complaint, which a misspelt key would cause',
  () => {
    const unit = readText('systemd/sauti.service')
    expect(verify(unit)).toEqual([])
    expect(verify(unit.replace('NoNewPrivileges=', 'NoNewPrivilege='))).toEqual([
      expect.stringContaining("Unknown key 'NoNewPrivilege' in section [Service]"),
    ])
  },
)
