// One thing that a button does at the server: busy while it runs, the error in words when it is refused, never twice at once.

import { useCallback, useState } from 'preact/hooks'
import { type ApiError, asApiError } from './api.ts'

export interface Submission<Args extends unknown[]> {
  readonly busy: boolean
  readonly error: ApiError | undefined
  readonly run: (...args: Args) => Promise<void>
}

export function useSubmit<Args extends unknown[]>(
  action: (...args: Args) => Promise<void>,
): Submission<Args> {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const run = useCallback(
    async (...args: Args) => {
      if (busy) return
      setBusy(true)
      setError(undefined)
      try {
        await action(...args)
      } catch (failure) {
        setError(asApiError(failure))
      } finally {
        setBusy(false)
      }
    },
    [action, busy],
  )
  return { busy, error, run }
}
