// What a page reads from the server: its data, the error that came instead, and a way to read it again.

import { useCallback, useEffect, useState } from 'preact/hooks'
import { get } from './api.ts'
import { type ApiError, asApiError } from './api-error.ts'
import { signedOut } from './who.tsx'

export interface Loaded<Data> {
  readonly data: Data | undefined
  readonly error: ApiError | undefined
  readonly reload: () => void
}

export function useLoad<Data>(path: string): Loaded<Data> {
  const [state, setState] = useState<{ path: string; data?: Data; error?: ApiError }>({ path })
  const [turn, setTurn] = useState(0)
  // `turn` is there to read the same path again.
  useEffect(() => {
    let current = true
    get<Data>(path).then(
      data => current && setState({ path, data }),
      failure => {
        const error = asApiError(failure)
        if (error.status === 401) signedOut()
        else if (current) setState(before => ({ ...before, path, error }))
      },
    )
    return () => {
      current = false
    }
  }, [path, turn])
  const reload = useCallback(() => setTurn(before => before + 1), [])
  const fresh = state.path === path ? state : undefined
  return { data: fresh?.data, error: fresh?.error, reload }
}

/** Reads again every few seconds while the page is visible. */
export function useRefresh(reload: () => void, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), everyMs)
    return () => clearInterval(timer)
  }, [reload, everyMs])
}
