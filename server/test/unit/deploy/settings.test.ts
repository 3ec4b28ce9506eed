import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MAX_AUDIO_SECONDS } from '@sauti/protocol/audio'
import { afterAll, describe, expect, it } from 'vitest'
import { doubtfulSettings, readConfig } from '#server/settings/config.js'
import { variablesOf } from '#server/settings/setting.js'
import { SETTINGS } from '#server/settings/table.js'
import {
  listDeployFiles,
  parseAssignments,
  readChart,
  readKustomizeBase,
  readText,
  readYaml,
  type Tree,
} from './deploy-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'sauti-deploy-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

const imageSettings = parseAssignments(readText('Dockerfile').split('\n'))

function inCluster({ objects, settings }: ReturnType<typeof readChart>) {
  const { spec } = objects.get('Deployment').spec.template
  const [container] = spec.containers
  const fromFiles = Object.fromEntries(container.env.map(({ name, value }: Tree) => [name, value]))
  const preStopSeconds = Number(container.lifecycle.preStop.exec.command[1])
  return {
    env: { ...imageSettings, ...settings, ...fromFiles },
    graceSeconds: spec.terminationGracePeriodSeconds - preStopSeconds,
  }
}

function inCompose(name: string) {
  const { environment, stop_grace_period } = readYaml('compose/compose.yaml').services[name]
  return { env: { ...imageSettings, ...environment }, graceSeconds: Number.parseInt(stop_grace_period, 10) }
}

function inSystemd(...files: string[]) {
  const lines = files.flatMap(file => readText(`systemd/${file}`).split('\n'))
  const assigned = parseAssignments(lines.filter(line => line.startsWith('Environment=')))
  const stop = lines.find(line => line.startsWith('TimeoutStopSec='))!
  return { env: assigned, graceSeconds: Number(stop.split('=')[1]) }
}

/** As the service reads it there, with the secrets in files. */
function readAsService(env: Record<string, string>) {
  const secrets = {
    SAUTI_DATABASE_URL_FILE: 'postgres://sauti:password@db/sauti',
    SAUTI_SECRET_FILE: 's'.repeat(48),
  }
  const moved = Object.entries(secrets).flatMap(([name, content]) => {
    if (!(name in env)) return []
    const file = join(folder, name)
    writeFileSync(file, content)
    return [[name, file]]
  })
  return readConfig({ ...env, ...Object.fromEntries(moved) })
}

describe.each([
  ['the first node of compose', inCompose('node-1')],
  ['the second node of compose', inCompose('node-2')],
  ['the Kustomize base', inCluster(readKustomizeBase())],
  ['the Helm chart', inCluster(readChart())],
  ['systemd', inSystemd('sauti.service')],
  ['systemd with PostgreSQL', inSystemd('sauti.service', 'sauti.service.d/postgres.conf')],
])('%s', (_, { env, graceSeconds }) => {
  it('gives the service settings that it accepts and does not doubt', () => {
    expect(doubtfulSettings(readAsService(env))).toEqual([])
  })

  it('drains longer than the longest session lasts, and waits longer than both', () => {
    const { drainTimeoutMs, sessionTimeFactor, sessionTimeExtraMs } = readAsService(env)
    const longestSeconds = sessionTimeFactor * MAX_AUDIO_SECONDS + sessionTimeExtraMs / 1000
    expect(drainTimeoutMs / 1000).toBeGreaterThan(longestSeconds)
    expect(graceSeconds).toBeGreaterThan(longestSeconds + drainTimeoutMs / 1000)
  })

  it('has secrets only in files', () => {
    const secrets = Object.values(SETTINGS).filter(({ isSecret }) => isSecret)
    expect(Object.keys(env).filter(name => secrets.some(({ variable }) => variable === name))).toEqual([])
  })
})

it('names no setting that the service does not have', () => {
  const known = new Set<string>(Object.values(SETTINGS).flatMap(variablesOf))
  const named = listDeployFiles().flatMap(path =>
    [...readText(path).matchAll(/\bSAUTI_[A-Z][A-Z_]*[A-Z]\b/g)].map(([name]) => ({ path, name })),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ name }) => !known.has(name))).toEqual([])
})

it('says in the head of every file what our checks do not run', () => {
  const silent = listDeployFiles()
    .filter(path => !path.endsWith('README.md') && !path.endsWith('.gitignore'))
    .filter(path => !/\b(Not|Never) (built|run|rendered|applied|started)\b/.test(firstLines(path)))
  expect(silent).toEqual([])
})

/** JSON has no comments: its first line is a brace, its second a member that says it. */
function firstLines(path: string): string {
  return readText(path)
    .split('\n')
    .slice(0, path.endsWith('.json') ? 2 : 1)
    .join('\n')
}

it('runs the image as an unprivileged user, with a health check that asks the service', () => {
  const lines = readText('Dockerfile').split('\n')
  expect(lines.filter(line => line.startsWith('FROM '))).toHaveLength(2)
  expect(lines.find(line => line.startsWith('USER '))).toMatch(/^USER [1-9]\d+:[1-9]\d+$/)
  expect(readText('Dockerfile')).toMatch(/ONNXRUNTIME_NODE_INSTALL=skip[\s\S]*HEALTHCHECK[\s\S]*\/healthz/)
})

it('runs both nodes of compose on a read-only file system, with what they write to on volumes of their own', () => {
  const { services, secrets, volumes } = readYaml('compose/compose.yaml')
  for (const name of ['node-1', 'node-2']) {
    const node = services[name]
    expect(node).toMatchObject({ read_only: true, cap_drop: ['ALL'], volumes: [`${name}:/var/lib/sauti`] })
    for (const secret of node.secrets) expect(secrets).toHaveProperty(secret)
    expect(volumes).toHaveProperty(name)
  }
  expect(services.proxy.networks.inside.ipv4_address).toBe(inCompose('node-1').env.SAUTI_TRUSTED_PROXIES)
  expect(readText('compose/Caddyfile')).toContain('reverse_proxy node-1:8443 node-2:8443')
})
