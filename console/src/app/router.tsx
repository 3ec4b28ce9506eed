// The router: addresses to components, and links without reloading. By hand, because the app needs no more than these hundred lines: no nested
// routes, no data loading.

import { type ComponentType, createContext, type JSX } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { isHomePath } from '../texts/texts.ts'

export type Params = Record<string, string>
export interface Route {
  readonly pattern: string
  readonly load: () => Promise<ComponentType>
}

const ParamsContext = createContext<Params>({})

export function useParams(): Params {
  return useContext(ParamsContext)
}

/** The address of the page, and again whenever it changes. */
export function usePath(): string {
  const [path, setPath] = useState(location.pathname)
  useEffect(() => {
    const read = () => setPath(location.pathname)
    window.addEventListener('popstate', read)
    return () => window.removeEventListener('popstate', read)
  }, [])
  return path
}

export function navigate(path: string, options: { replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(null, '', path)
  else history.pushState(null, '', path)
  window.dispatchEvent(new PopStateEvent('popstate'))
}

/** `/operator/accounts/:id` against `/operator/accounts/7`: the named parts, or undefined where it does not fit. */
export function matchPath(pattern: string, path: string): Params | undefined {
  const wanted = pattern.split('/')
  const given = path.replace(/\/+$/, '').split('/')
  if (wanted.length !== given.length) return undefined
  const params: Params = {}
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = decode(value)
    else if (part !== value) return undefined
  }
  return params
}

/** Not every address that somebody types can be decoded. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

interface RouterProps {
  path: string
  routes: readonly Route[]
  missing: ComponentType
  wait: ComponentType
}

export function Router({ path, routes, missing: Missing, wait: Wait }: RouterProps): JSX.Element {
  const [page, setPage] = useState<{ path: string; View: ComponentType; params: Params }>()
  useEffect(() => {
    document.addEventListener('click', followLink)
    return () => document.removeEventListener('click', followLink)
  }, [])
  useEffect(() => {
    let current = true
    const found = findRoute(routes, path)
    const loaded = found === undefined ? Promise.resolve(Missing) : found.route.load()
    loaded.then(View => current && setPage({ path, View, params: found?.params ?? {} }), reloadForNewBuild)
    return () => {
      current = false
    }
  }, [path, routes, Missing])
  if (page === undefined) return <Wait />
  return (
    <ParamsContext.Provider value={page.params}>
      <page.View key={page.path} />
    </ParamsContext.Provider>
  )
}

/** A page's file is gone when the server was updated under an open tab: the new index knows the new names. */
function reloadForNewBuild(): void {
  location.reload()
}

export function findRoute(
  routes: readonly Route[],
  path: string,
): { route: Route; params: Params } | undefined {
  for (const route of routes) {
    const params = matchPath(route.pattern, path)
    if (params !== undefined) return { route, params }
  }
  return undefined
}

/** Plain links inside the app change the address without loading the page anew. */
function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || link.target !== '' || link.hasAttribute('download')) return
  if (link.origin !== location.origin || !isAppPath(link.pathname)) return
  event.preventDefault()
  navigate(link.pathname + link.search)
  window.scrollTo(0, 0)
}

/** The front page and the documentation are documents of their own. */
function isAppPath(path: string): boolean {
  return !isHomePath(path) && !path.startsWith('/docs')
}
