// Who is signed in. Asked once at the start; pages below a `SignedIn` can count on the answer.

import type { Me } from '@sauti/protocol/console'
import { type ComponentChildren, createContext, type JSX } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import { Problem, Waiting } from '../ui/notice.tsx'
import { type ApiError, asApiError, get } from './api.ts'
import { navigate } from './router.tsx'

interface Who {
  readonly me: Me
  readonly refresh: () => Promise<void>
}
const WhoContext = createContext<Who | undefined>(undefined)

export function useWho(): Who {
  const who = useContext(WhoContext)
  if (who === undefined) throw new Error('useWho belongs below SignedIn')
  return who
}

/** The session is over: back to the sign-in page, and from there to where one was. */
export function signedOut(): void {
  const here = location.pathname
  navigate(here === '/app' ? '/signin' : `/signin?next=${encodeURIComponent(here)}`, { replace: true })
}

export function SignedIn({ children }: { children: ComponentChildren }): JSX.Element {
  const [me, setMe] = useState<Me>()
  const [error, setError] = useState<ApiError>()
  const refresh = useCallback(async () => {
    try {
      setMe(await get<Me>('/me'))
    } catch (failure) {
      const refused = asApiError(failure)
      if (refused.status === 401) signedOut()
      else setError(refused)
    }
  }, [])
  useEffect(() => {
    refresh()
  }, [refresh])
  if (me !== undefined) return <WhoContext.Provider value={{ me, refresh }}>{children}</WhoContext.Provider>
  return <main class="narrow">{error === undefined ? <Waiting /> : <Problem error={error} />}</main>
}
