import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  ConfigError,
  doubtfulSettings,
  readCommandConfig,
  readConfig,
  saveMemoryOfChildren,
} from '#server/settings/config.js'
import { SETTINGS } from '#server/settings/table.js'

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('readConfig', () => {
  it('starts without any setting, on the defaults of the specification and the decisions', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 8443,
      publicUrl: 'https://127.0.0.1:8443',
      tls: 'on',
      databaseUrl: undefined,
      metricsPort: undefined,
      sessionCreationsPerMinute: 60,
      usageReadsPerMinute: 120,
      modelListsPerMinute: 300,
      idleTimeoutMs: 60_000,
      pingIntervalMs: 15_000,
      maxQueuedAudioMs: 10_000,
      languageModel: 'on',
    })
  })

  it('takes an empty or blank variable as not set', () => {
    expect(readConfig({ SAUTI_PORT: '', SAUTI_HOST: ' ' })).toMatchObject({ port: 8443, host: '127.0.0.1' })
  })

  it('names every bad value in one message', () => {
    const problems = problemsOf({
      SAUTI_PORT: 'https',
      SAUTI_PUBLIC_URL: 'http://example.org',
      SAUTI_TLS: 'maybe',
      SAUTI_IDLE_TIMEOUT_SECONDS: '-1',
      SAUTI_LANGUAGE_MODEL: 'swahili',
    })
    expect(problems).toEqual([
      'SAUTI_PORT must be a whole number from 0 to 65535, not "https"',
      'SAUTI_PUBLIC_URL must be an address that begins with https://, not "http://example.org"',
      'SAUTI_TLS must be on or off, not "maybe"',
      'SAUTI_IDLE_TIMEOUT_SECONDS must be a number from 0.01 to 86400 seconds, not "-1"',
      'SAUTI_LANGUAGE_MODEL must be on or off, not "swahili"',
    ])
  })

  it('never shows a secret value in a message', () => {
    const message = problemsOf({
      SAUTI_SECRET: 'too-short-canary',
      SAUTI_DATABASE_URL: 'mysql://root:password-canary@db/x',
    }).join('\n')
    expect(message).toContain('SAUTI_SECRET must have at least 32 bytes')
    expect(message).not.toContain('canary')
  })

  it('names a variable that is not a setting, because it is probably a typing error', () => {
    expect(problemsOf({ SAUTI_PROT: '1', SAUTI_API_KEY: 'of the client', PATH: '/bin' })).toEqual([
      'SAUTI_PROT is not a setting',
    ])
  })

  it.each([
    [{ SAUTI_TLS: 'off' }, 'SAUTI_PUBLIC_URL is required'],
    [{ SAUTI_TLS_CERT: 'a.pem' }, 'must be set together'],
    [{ SAUTI_DATABASE_URL: 'postgres://u@h/d' }, 'SAUTI_SECRET is required'],
    [{ SAUTI_PUBLIC_URL: 'https://h/api' }, 'must have no path'],
    [{ SAUTI_NODE_LOST_SECONDS: '3' }, 'at least twice'],
    [{ SAUTI_TRUSTED_PROXIES: '10.0.0.0/33' }, 'must be addresses or networks'],
  ] as [Record<string, string>, string][])('refuses %j: %s', (env, problem) => {
    expect(problemsOf(env).join()).toContain(problem)
  })

  it('does not ask a command beside the service for what only a serving node needs', () => {
    const databaseUrl = 'postgres://u@h/d'
    expect(readCommandConfig({ SAUTI_DATABASE_URL: databaseUrl })).toMatchObject({ databaseUrl })
    expect(() => readCommandConfig({ SAUTI_PORT: 'http' })).toThrow('SAUTI_PORT must be')
  })

  it.each([
    ['::1', 'https://[::1]:8443'],
    ['0.0.0.0', 'https://localhost:8443'],
    ['asr.example.org', 'https://asr.example.org:8443'],
  ])('derives the public address of %s', (host, publicUrl) => {
    expect(readConfig({ SAUTI_HOST: host }).publicUrl).toBe(publicUrl)
  })

  it('keeps the public address as an origin, its default port left out', () => {
    expect(readConfig({ SAUTI_PUBLIC_URL: 'https://Example.org:443/' }).publicUrl).toBe('https://example.org')
  })

  it('describes every setting, for the documentation', () => {
    for (const one of Object.values(SETTINGS)) expect(one.description, one.variable).toMatch(/\.$/)
  })
})

describe('the provider of an organisation', () => {
  const oidc = {
    SAUTI_OIDC_ISSUER: 'https://login.example.org/',
    SAUTI_OIDC_CLIENT_ID: 'sauti',
    SAUTI_OIDC_CLIENT_SECRET: 'secret',
  }

  it('is kept exactly, with the domains in lower case', () => {
    expect(readConfig({ ...oidc, SAUTI_OIDC_DOMAINS: 'Example.org, b.example' })).toMatchObject({
      oidcIssuer: 'https://login.example.org/',
      oidcDomains: ['example.org', 'b.example'],
    })
    const local = { ...oidc, SAUTI_OIDC_ISSUER: 'http://127.0.0.1:8080/realm' }
    expect(readConfig(local).oidcIssuer).toBe('http://127.0.0.1:8080/realm')
  })

  it('is reached over https only, except on this machine, and is set as a whole', () => {
    for (const issuer of ['http://login.example.org', 'http://127.0.0.1.evil.example', 'https://a@b.example'])
      expect(problemsOf({ ...oidc, SAUTI_OIDC_ISSUER: issuer })).toHaveLength(1)
    expect(problemsOf({ SAUTI_OIDC_ISSUER: oidc.SAUTI_OIDC_ISSUER })).toEqual([
      'SAUTI_OIDC_ISSUER, SAUTI_OIDC_CLIENT_ID and SAUTI_OIDC_CLIENT_SECRET must be set together',
    ])
    expect(problemsOf({ ...oidc, SAUTI_OIDC_DOMAINS: '@example.org' })).toHaveLength(1)
  })
})

describe('settings that are probably a mistake', () => {
  it('are named at the start: a proxy that ends TLS and is not trusted', () => {
    const behindProxy = { SAUTI_TLS: 'off', SAUTI_PUBLIC_URL: 'https://sauti.example' }
    expect(doubtfulSettings(readConfig(behindProxy))).toEqual([
      expect.stringContaining('SAUTI_TRUSTED_PROXIES'),
    ])
    expect(doubtfulSettings(readConfig({ ...behindProxy, SAUTI_TRUSTED_PROXIES: '10.0.0.1' }))).toEqual([])
    expect(doubtfulSettings(readConfig({}))).toEqual([])
  })
})

describe('secrets in files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-secrets-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const secret = 'x'.repeat(40)

  it('are read for every secret setting', () => {
    const config = readConfig({
      SAUTI_SECRET_FILE: file('secret', `${secret}\n`),
      SAUTI_SECRET_PREVIOUS_FILE: file('previous', `${secret}y\n`),
      SAUTI_DATABASE_URL_FILE: file('database', 'postgres://a:b@c/d\n'),
      SAUTI_SMTP_URL_FILE: file('smtp', 'smtps://u:p@mail.example\n'),
      SAUTI_MAIL_FROM: 'a@b.example',
    })
    expect(config).toMatchObject({
      secret,
      previousSecret: `${secret}y`,
      databaseUrl: 'postgres://a:b@c/d',
      smtpUrl: 'smtps://u:p@mail.example',
    })
  })

  it('are refused beside the setting itself, and when they are missing or wrong, without showing them', () => {
    expect(problemsOf({ SAUTI_SECRET: secret, SAUTI_SECRET_FILE: file('s', secret) })).toEqual([
      'SAUTI_SECRET and SAUTI_SECRET_FILE must not be set together',
    ])
    expect(problemsOf({ SAUTI_SECRET_FILE: join(folder, 'none') })).toEqual([
      'SAUTI_SECRET cannot be read from the file that SAUTI_SECRET_FILE names (ENOENT)',
    ])
    const [problem] = problemsOf({ SAUTI_SECRET_FILE: file('short', 'too short') })
    expect(problem).toMatch(/^SAUTI_SECRET must have at least 32 bytes/)
    expect(problem).not.toContain('too short')
    expect(problemsOf({ SAUTI_PORT_FILE: 'x' })).toEqual(['SAUTI_PORT_FILE is not a setting'])
  })
})

describe('saveMemoryOfChildren', () => {
  it('gives processes one pool of memory, unless the operator chose otherwise', () => {
    const unset = {}
    const chosen = { MALLOC_ARENA_MAX: '4' }
    for (const env of [unset, chosen]) saveMemoryOfChildren(env)
    expect([unset, chosen]).toEqual([{ MALLOC_ARENA_MAX: '1' }, { MALLOC_ARENA_MAX: '4' }])
  })
})
