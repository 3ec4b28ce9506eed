// Who is signed in. Asked once at the start; pages below a `SignedIn` can count on the answer.

import type { Me } from '@sauti/protocol/console'
import { type ComponentChildren, type ComponentType, createContext, type JSX } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import { Problem, Skeleton } from '../ui/notice.tsx'
import { get } from './api.ts'
import { type ApiError, asApiError } from './api-error.ts'
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

/** The sign-in has ended: to the sign-in page, and from there back to this page. Several requests can learn it; the first leads there. */
export function signedOut(): void {
  markMember(false)
  const here = location.pathname
  if (here === '/signin') return
  navigate(here === '/app' ? '/signin' : `/signin?next=${encodeURIComponent(here)}`, { replace: true })
}

/** Tells the front page, which cannot read the sign-in itself, that somebody is signed in here. */
export function markMember(isMember: boolean): void {
  const age = isMember ? 1_209_600 : 0
  // biome-ignore lint/suspicious/noDocumentCookie: CookieStore is missing in browsers that we support.
  document.cookie = `sauti_member=1; path=/; max-age=${age}; samesite=lax; secure`
}

/** As far as this browser knows; a sign-in that has ended since leads to the sign-in page. */
export function isMember(): boolean {
  return document.cookie.includes('sauti_member=')
}

/** The reader comes back to the page, from another tab or with the browser's button: they may have signed out since. */
function onReturn(look: () => void): () => void {
  const lookIfSeen = () => document.visibilityState === 'visible' && look()
  window.addEventListener('pageshow', lookIfSeen)
  document.addEventListener('visibilitychange', lookIfSeen)
  return () => {
    window.removeEventListener('pageshow', lookIfSeen)
    document.removeEventListener('visibilitychange', lookIfSeen)
  }
}

interface SignedInProps {
  /** What stands around the wait for the answer, so that nothing jumps when it comes. */
  frame: ComponentType<{ children: ComponentChildren }>
  children: ComponentChildren
}

export function SignedIn({ frame: Frame, children }: SignedInProps): JSX.Element {
  const [me, setMe] = useState<Me>()
  const [error, setError] = useState<ApiError>()
  const refresh = useCallback(async () => {
    try {
      setMe(await get<Me>('/me'))
      setError(undefined)
      markMember(true)
    } catch (failure) {
      const refused = asApiError(failure)
      if (refused.status === 401) signedOut()
      else setError(refused)
    }
  }, [])
  useEffect(() => {
    refresh()
    return onReturn(() => isMember() || refresh())
  }, [refresh])
  if (me !== undefined) return <WhoContext.Provider value={{ me, refresh }}>{children}</WhoContext.Provider>
  return <Frame>{error === undefined ? <Skeleton /> : <Problem error={error} again={refresh} />}</Frame>
}
