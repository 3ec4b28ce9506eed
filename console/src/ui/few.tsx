// A long list shows its first rows, and a button shows the rest, so that what follows stays in reach.

import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Empty } from './notice.tsx'

const FEW = 10

interface Props<Row> {
  rows: readonly Row[]
  /** What they are: “Show all 34 keys”, “No keys”. */
  what: string
  children: (rows: readonly Row[]) => ComponentChildren
}

export function Few<Row>({ rows, what, children }: Props<Row>): JSX.Element {
  const [all, setAll] = useState(false)
  if (rows.length === 0) return <Empty title={`No ${what}`} />
  // Two rows more are no reason for a button.
  const isShort = all || rows.length <= FEW + 2
  return (
    <>
      {children(isShort ? rows : rows.slice(0, FEW))}
      {!isShort && (
        <button type="button" class="button quiet" onClick={() => setAll(true)}>
          Show all {rows.length} {what}
        </button>
      )}
    </>
  )
}
