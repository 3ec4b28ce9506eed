import { statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmbedded } from '#server/db/embedded.js'
import type { Database } from '#server/db/port.js'
import { createTestDatabase, failOnLoss, type TestDatabase } from '../support/database/database.ts'

let created: TestDatabase
let database: Database

beforeAll(async () => {
  created = await createTestDatabase('embedded')
  database = await startEmbedded({ dataDir: created.env.SAUTI_DATA_DIR!, poolSize: 4, ...failOnLoss })
  await database.query('CREATE TABLE purse (id integer PRIMARY KEY, cents bigint NOT NULL)')
  await database.query('INSERT INTO purse (id, cents) VALUES (2, 0)')
}, 60_000)

afterAll(async () => {
  await database.close()
  await created.remove()
})

async function cents(id: number): Promise<number | undefined> {
  const rows = await database.query<{ cents: number }>('SELECT cents FROM purse WHERE id = $1', [id])
  return rows[0]?.cents
}

describe('the socket of the embedded database', () => {
  const path = () => join(created.env.SAUTI_DATA_DIR!, '.s.PGSQL.5432')

  /** Speaks the wire protocol by hand, so that it can disconnect in the middle of a message. */
  async function startTransactionByHand() {
    const socket = connect(path())
    const read = () => new Promise<Buffer>(resolve => socket.once('data', resolve))
    const parameters = Buffer.from('user\0postgres\0\0')
    const head = Buffer.alloc(8)
    head.writeInt32BE(8 + parameters.length, 0)
    head.writeInt32BE(196_608, 4)
    socket.write(Buffer.concat([head, parameters]))
    await read()
    socket.write(simpleQuery('BEGIN; UPDATE purse SET cents = 777 WHERE id = 2'))
    await read()
    return socket
  }

  function simpleQuery(sql: string): Buffer {
    const text = Buffer.from(`Q____${sql}\0`)
    text.writeInt32BE(text.length - 1, 1)
    return text
  }

  it('is closed to other users of the machine, whatever the umask', () => {
    const modeOf = (file: string) => statSync(file).mode & 0o777
    expect(modeOf(path())).toBe(0o600)
    expect(modeOf(created.env.SAUTI_DATA_DIR!)).toBe(0o700)
    expect(modeOf(join(created.env.SAUTI_DATA_DIR!, 'database'))).toBe(0o700)
  })

  it('rolls back and goes on when a client dies inside a transaction', async () => {
    const socket = await startTransactionByHand()
    const waiting = cents(2)
    socket.destroy()
    expect(await waiting).toBe(0)
  })

  it('ends a client that stops in the middle of a transaction', async () => {
    const socket = await startTransactionByHand()
    const goodbye = new Promise<Buffer>(resolve => socket.once('data', resolve))
    expect(await cents(2)).toBe(0)
    expect((await goodbye).toString()).toContain('25P03')
  })

  it('survives what is not a PostgreSQL client', async () => {
    for (const noise of ['GET / HTTP/1.1\r\n\r\n', '\0\0\0\x05xxxxxxxx', Buffer.alloc(100_000, 0xff)]) {
      const socket = connect(path())
      const closed = new Promise(resolve => socket.once('close', resolve))
      socket.on('error', () => undefined).on('data', () => undefined)
      socket.write(noise)
      await closed
    }
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })
})
