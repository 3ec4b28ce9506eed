// The chain of the audit log: recomputed to find what was changed, and exported so that others can recompute it.

import type { Queryable } from '../db/port.ts'

const PAGE = 500

export interface AuditProblem {
  readonly id: number
  readonly problem: string
}

export interface AuditCheck {
  readonly entries: number
  /** Of the newest entry. Kept elsewhere, it shows later whether the end of the log was cut off. */
  readonly lastHash: string | null
  readonly problems: readonly AuditProblem[]
}

type CheckRow = Omit<AuditCheck, 'problems'> & { readonly id: number | null; readonly problem: string | null }

/** One statement, so that the check is of one moment. */
export async function verifyAudit(db: Queryable): Promise<AuditCheck> {
  const rows = await db.query<CheckRow>(
    `WITH chain AS (
       SELECT e.*, lag(hash) OVER (ORDER BY id) AS previous, audit_content(e) AS content FROM audit_entries e
     ), problems AS (
       SELECT id, 'the chain is broken before this entry' AS problem FROM chain
       WHERE hash <> audit_link(previous, id, content_hash)
       UNION ALL
       SELECT id, 'the content was changed' FROM chain
       WHERE salt IS NOT NULL AND content_hash <> sha256_hex(salt || content)
       UNION ALL
       SELECT id, 'the content cannot be checked, and nobody was forgotten in it' FROM chain
       WHERE salt IS NULL AND 'a deleted person' NOT IN (operator_email, coalesce(target, ''))
     )
     SELECT (SELECT count(*) FROM audit_entries) AS entries,
            (SELECT hash FROM audit_entries ORDER BY id DESC LIMIT 1) AS "lastHash", p.id, p.problem
     FROM (VALUES (1)) one LEFT JOIN problems p ON true ORDER BY p.id`,
  )
  const { entries, lastHash } = rows[0]!
  return { entries, lastHash, problems: rows.flatMap(toProblem) }
}

function toProblem({ id, problem }: CheckRow): AuditProblem[] {
  return id === null || problem === null ? [] : [{ id, problem }]
}

/**
 * The log from its beginning, one JSON object per line. `content` is the exact text that was hashed:
 * content_hash = SHA-256(salt + content), hash = SHA-256(previous hash + ' ' + id + ' ' + content_hash), all in hexadecimal.
 */
export async function* exportAudit(db: Queryable): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const rows = await db.query<{ id: number }>(
      `SELECT id, salt, content_hash, hash, audit_content(e) AS content FROM audit_entries e
       WHERE id > $1 ORDER BY id LIMIT ${PAGE}`,
      [after],
    )
    for (const row of rows) yield `${JSON.stringify(row)}\n`
    if (rows.length < PAGE) return
    after = rows.at(-1)!.id
  }
}
