// A list that is read page by page: what came so far, and a button for more.

import type { ComponentChildren, JSX } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { get } from '../app/api.ts'
import { type ApiError, asApiError } from '../app/api-error.ts'
import { signedOut } from '../app/who.tsx'
import { Problem, Skeleton } from './notice.tsx'

interface Page<Row> {
  data: Row[]
  next: string | null
}

export interface Pages<Row> {
  readonly rows: readonly Row[] | undefined
  readonly hasMore: boolean
  readonly error: ApiError | undefined
  readonly more: () => void
  readonly reload: () => void
}

/** `path` with its query; a new path begins anew. */
export function usePages<Row>(path: string): Pages<Row> {
  const [state, setState] = useState<{ path: string; rows?: readonly Row[]; next?: string | null }>({ path })
  const [error, setError] = useState<ApiError>()
  const read = useCallback(
    (before: string | null, kept: readonly Row[]) => {
      const mark =
        before === null ? '' : `${path.includes('?') ? '&' : '?'}before=${encodeURIComponent(before)}`
      get<Page<Row>>(path + mark).then(
        page => {
          setError(undefined)
          setState({ path, rows: [...kept, ...page.data], next: page.next })
        },
        failure => (asApiError(failure).status === 401 ? signedOut() : setError(asApiError(failure))),
      )
    },
    [path],
  )
  useEffect(() => read(null, []), [read])
  const fresh = state.path === path ? state : undefined
  return {
    rows: fresh?.rows,
    hasMore: fresh?.next != null,
    error,
    more: () => read(fresh?.next ?? null, fresh?.rows ?? []),
    reload: () => read(null, []),
  }
}

export function Listed<Row>(props: {
  pages: Pages<Row>
  empty: ComponentChildren
  children: (rows: readonly Row[]) => ComponentChildren
}): JSX.Element {
  const { rows, error, hasMore, more, reload } = props.pages
  return (
    <>
      {error !== undefined && <Problem error={error} again={reload} />}
      {rows === undefined && error === undefined && <Skeleton />}
      {rows !== undefined && (rows.length === 0 ? props.empty : props.children(rows))}
      {hasMore && (
        <button type="button" class="button quiet" onClick={more}>
          Show more
        </button>
      )}
    </>
  )
}
