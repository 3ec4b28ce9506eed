// One thing that a button or a form does at the server: busy while it runs, the error in words when it is refused, never
// twice at once.

import { useCallback, useState } from 'preact/hooks'
import { type ApiError, asApiError } from './api-error.ts'

export interface Submission {
  readonly busy: boolean
  readonly error: ApiError | undefined
  readonly run: () => Promise<void>
  /** For a form, which would otherwise load the page anew. */
  readonly onSubmit: (event: Event) => void
}

export function useSubmit(action: () => Promise<void>): Submission {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const run = useCallback(async () => {
    if (busy) return
    setBusy(true)
    setError(undefined)
    try {
      await action()
    } catch (failure) {
      setError(asApiError(failure))
    } finally {
      setBusy(false)
    }
  }, [action, busy])
  const onSubmit = (event: Event) => {
    event.preventDefault()
    void run()
  }
  return { busy, error, run, onSubmit }
}
