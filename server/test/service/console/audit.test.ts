// The audit log: complete, without secrets, and chained so that a change is found.

import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMAND_LINE, recordAction } from '#server/accounts/audit.js'
import { exportAudit, verifyAudit } from '#server/accounts/audit-chain.js'
import { type Browser, type Console, PASSWORD, startConsole } from '../../support/console/console.ts'

let site: Console
let owner: Browser
beforeAll(async () => {
  site = await startConsole({ trustedProxies: ['127.0.0.1'] })
  owner = await site.operator('owner@operators.test')
})
afterAll(() => site.close())

async function newActions(since: number): Promise<(string | null)[][]> {
  const rows = await site.db.query<Record<string, string | null>>(
    'SELECT action, operator_email, target, address FROM audit_entries WHERE id > $1 ORDER BY id',
    [since],
  )
  return rows.map(row => [row.action!, row.operator_email!, row.target!, row.address!])
}

async function lastId(): Promise<number> {
  const [row] = await site.db.query<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM audit_entries')
  return row!.id
}

describe('the audit log', () => {
  it('has what people do to their own account, who it was and from where', async () => {
    const developer = await site.developer('dev@people.test')
    const since = await lastId()
    const from = { 'x-forwarded-for': '203.0.113.7' }
    const { json: key } = await developer.call('POST', '/keys', { name: 'k' }, from)
    await developer.call('DELETE', `/keys/${key.id}`, undefined, from)
    await developer.call('PATCH', '/me', { name: 'Another name' }, from)
    await developer.call('POST', '/sign-out', {}, from)
    await developer.call('POST', '/sign-in', { email: 'dev@people.test', password: 'wrong' }, from)
    await developer.call('POST', '/sign-in', { email: 'my secret word', password: 'wrong' }, from)
    await developer.call('POST', '/sign-in', { email: 'dev@people.test', password: PASSWORD }, from)
    const mine = ['dev@people.test', 'dev@people.test', '203.0.113.7']
    expect(await newActions(since)).toEqual([
      ['key.create', 'dev@people.test', key.id, '203.0.113.7'],
      ['key.revoke', 'dev@people.test', key.id, '203.0.113.7'],
      ['person.rename', ...mine],
      ['sign_in.end', ...mine],
      ['sign_in.refuse', 'visitor', 'dev@people.test', '203.0.113.7'],
      ['sign_in.refuse', 'visitor', null, '203.0.113.7'],
      ['sign_in.start', ...mine],
    ])
  })

  it('is exported as JSON lines that anybody can recompute', async () => {
    const answer = await owner.call('GET', '/operator/audit.jsonl')
    expect(answer.headers['content-type']).toContain('application/x-ndjson')
    const lines = answer.text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines.length).toBeGreaterThan(5)
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
    let previous = ''
    for (const { id, salt, content, content_hash, hash } of lines) {
      expect(sha256(salt + content)).toBe(content_hash)
      expect(sha256(`${previous} ${id} ${content_hash}`)).toBe(hash)
      expect(JSON.parse(content)).toHaveProperty('action')
      previous = hash
    }
    expect((await verifyAudit(site.db)).lastHash).toBe(previous)
  })

  it('keeps its chain when many write at the same moment and when some of them fail', async () => {
    const write = (fails: boolean) =>
      site.db
        .transaction(async tx => {
          const now = site.now
          await recordAction(tx, { actor: COMMAND_LINE, action: 'account.create', target: randomUUID(), now })
          if (fails) throw new Error('rolled back')
        })
        .catch(() => undefined)
    await Promise.all(Array.from({ length: 30 }, (_, at) => write(at % 3 === 0)))
    expect((await verifyAudit(site.db)).problems).toEqual([])
  })

  it('can still be verified after somebody was deleted, and no longer contains the person', async () => {
    const leaver = await site.developer('leaver@people.test')
    await leaver.call('POST', '/me/delete', { password: PASSWORD }, { 'x-forwarded-for': '203.0.113.99' })
    expect((await verifyAudit(site.db)).problems).toEqual([])
    let text = ''
    for await (const line of exportAudit(site.db)) text += line
    expect(text).not.toContain('leaver@people.test')
    expect(text).toContain('a deleted person')
  })

  it('shows every change that somebody with the database made', async () => {
    // The owner of the database can switch the triggers off; then only the chain shows a change.
    const tamper = async (change: string): Promise<string[]> => {
      await site.db.query('ALTER TABLE audit_entries DISABLE TRIGGER USER')
      try {
        return await site.db.transaction(async tx => {
          await tx.query(change)
          const { problems } = await verifyAudit(tx)
          throw Object.assign(new Error('undo'), { problems: problems.map(({ problem }) => problem) })
        })
      } catch (error) {
        return (error as Error & { problems: string[] }).problems
      } finally {
        await site.db.query('ALTER TABLE audit_entries ENABLE TRIGGER USER')
      }
    }
    const middle = '(SELECT id FROM audit_entries WHERE salt IS NOT NULL ORDER BY id OFFSET 3 LIMIT 1)'
    expect(await tamper(`UPDATE audit_entries SET target = 'x' WHERE id = ${middle}`)).toEqual([
      'the content was changed',
    ])
    expect(await tamper(`DELETE FROM audit_entries WHERE id = ${middle}`)).toEqual([
      'the chain is broken before this entry',
    ])
    expect(await tamper(`UPDATE audit_entries SET target = 'x', salt = NULL WHERE id = ${middle}`)).toEqual([
      'the content cannot be checked, and nobody was forgotten in it',
    ])
    expect((await verifyAudit(site.db)).problems).toEqual([])
  })
})
