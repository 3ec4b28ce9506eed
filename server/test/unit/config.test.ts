import { describe, expect, it } from 'vitest'
import { ConfigError, readCommandConfig, readConfig, SETTINGS } from '#server/config.js'

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

  it('names a variable that is no setting, because it is a typing mistake', () => {
    expect(problemsOf({ SAUTI_PROT: '1', SAUTI_API_KEY: 'of the client', PATH: '/bin' })).toEqual([
      'SAUTI_PROT is not a setting',
    ])
  })

  it.each([
    [{ SAUTI_TLS: 'off' }, 'SAUTI_PUBLIC_URL is required'],
    [{ SAUTI_TLS_CERT: 'a.pem' }, 'must be set together'],
    [{ SAUTI_DATABASE_URL: 'postgres://u@h/d' }, 'SAUTI_SECRET is required'],
    [{ SAUTI_PUBLIC_URL: 'https://h/api' }, 'must have no path'],
    [{ SAUTI_NODE_LOST_SECONDS: '6' }, 'at least twice'],
    [{ SAUTI_TRUSTED_PROXIES: '10.0.0.0/33' }, 'must be addresses or networks'],
  ] as [Record<string, string>, string][])('refuses %j: %s', (env, problem) => {
    expect(problemsOf(env).join()).toContain(problem)
  })

  it('lets a command beside the service go without what only a serving node needs', () => {
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
