import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '#server/db/open.js'
import { createLogger } from '#server/log.js'
import { startService } from '#server/service.js'
import { readConfig } from '#server/settings/config.js'
import { createTestDatabase, currentEngine, failOnLoss } from '../support/database/database.ts'
import { countChildren } from '../support/processes.ts'
import { ask } from '../support/service/https.ts'
import { startTestService, type TestService } from '../support/service/service.ts'

const quiet = { log: createLogger('silent', { write: () => undefined }), onFatal: failOnLoss.onDatabaseLost }

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

interface PlainAnswer {
  readonly status: number | undefined
  readonly text: string
}

function askPlain(url: string, method = 'GET'): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method }, answer => {
      let text = ''
      answer.on('data', chunk => {
        text += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode, text }))
    })
    asked.on('error', reject).end()
  })
}

describe('a running service', () => {
  it('answers over HTTPS with a certificate of its own authority', async () => {
    const answer = await ask(`${service.baseUrl}/v1/models`, { agent: service.agent })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body).data).toHaveLength(2)
  })

  it.each(['GET', 'POST', 'DELETE', 'PATCH', 'OPTIONS'])(
    'tells a client that does not encrypt its %s to use HTTPS',
    async method => {
      const { status, text } = await askPlain(`http://127.0.0.1:${service.port}/v1/models`, method)
      expect(status).toBe(400)
      expect(JSON.parse(text).error).toMatchObject({
        type: 'invalid_request_error',
        message: expect.stringContaining('https://'),
      })
    },
  )

  it('is ready', async () => {
    expect((await ask(`${service.baseUrl}/readyz`, { agent: service.agent })).status).toBe(200)
  })

  it('serves metrics on their own port and not on the public one', async () => {
    const { text: metrics } = await askPlain(`http://127.0.0.1:${service.metricsPort}/metrics`)
    expect(metrics).toContain('sauti_http_request_duration_seconds')
    expect(metrics).toContain('sauti_recogniser_capacity_streams')
    expect((await ask(`${service.baseUrl}/metrics`, { agent: service.agent })).status).toBe(404)
  })

  it('refuses its data folder to a second service, with a clear message', async () => {
    const second = startService(readConfig({ ...service.env }), quiet)
    await expect(second).rejects.toThrow(/the data folder .* is in use by process \d+/)
  })

  it('keeps no engine of a second service that could not start', async () => {
    const before = countChildren()
    await expect(startService(readConfig({ ...service.env }), quiet)).rejects.toThrow()
    expect(countChildren()).toBe(before)
  })

  it('lets an operator command use its database', async () => {
    const command = await openDatabase(readConfig({ ...service.env }), { as: 'command', ...failOnLoss })
    expect(await command.query('SELECT count(*) AS applied FROM schema_migrations')).toEqual(
      await service.database.query('SELECT count(*) AS applied FROM schema_migrations'),
    )
    await command.close()
  })

  it('keeps a secret that only its user can read, unless nodes share one by the settings', () => {
    const path = join(service.dataDir, 'secret')
    if (currentEngine() === 'postgres') {
      expect(existsSync(path)).toBe(false)
      return
    }
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8').trim().length).toBeGreaterThanOrEqual(32)
  })
})

describe('a service that stops', () => {
  it('does not wait for clients that are connected and send nothing', async () => {
    const stopping = await startTestService()
    const silent = [connect(stopping.port, '127.0.0.1'), connectTls({ port: stopping.port, ca: stopping.ca })]
    const gone = silent.map(socket => once(socket, 'close'))
    for (const socket of silent) socket.on('error', () => undefined)
    await once(silent[1]!, 'secureConnect')
    const started = Date.now()
    await stopping.stop()
    expect(Date.now() - started).toBeLessThan(15_000)
    await Promise.all(gone)
  })
})

describe('a service that cannot start', () => {
  it('stops the parts that did start, so that the next one can', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const store = await createTestDatabase()
    const env = { ...service.env, ...store.env }
    const blocked = startService(readConfig({ ...env, SAUTI_PORT: String(port) }), quiet)
    await expect(blocked).rejects.toThrow('EADDRINUSE')
    const next = await startService(readConfig(env), quiet)
    await next.stop()
    await store.remove()
    taken.close()
  })
})
