// The two frames: a top bar for visitors, a side bar (bottom bar on phones) for those who are signed in.

import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Icon, type IconName, Mark } from '../ui/icons.tsx'
import { ThemeSwitch } from '../ui/theme-switch.tsx'
import { post } from './api.ts'
import { useWho } from './who.tsx'

export function VisitorFrame({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <>
      <SkipLink />
      <header class="topbar">
        <div class="inner">
          <a class="logo" href="/">
            <Mark /> Sauti
          </a>
          <nav aria-label="Site">
            <a href="/docs">Docs</a>
            <ThemeSwitch />
          </nav>
        </div>
      </header>
      {children}
    </>
  )
}

interface Place {
  readonly path: string
  readonly label: string
  readonly icon: IconName
}

const DEVELOPER_PLACES: readonly Place[] = [
  { path: '/app', label: 'Overview', icon: 'overview' },
  { path: '/app/playground', label: 'Playground', icon: 'mic' },
  { path: '/app/keys', label: 'API keys', icon: 'key' },
  { path: '/app/settings', label: 'Settings', icon: 'settings' },
  { path: '/docs', label: 'Docs', icon: 'book' },
]
const OPERATOR_PLACES: readonly Place[] = [
  { path: '/operator', label: 'Waitlist', icon: 'list' },
  { path: '/operator/accounts', label: 'Accounts', icon: 'people' },
  { path: '/operator/sessions', label: 'Sessions', icon: 'pulse' },
  { path: '/operator/health', label: 'Health', icon: 'heart' },
  { path: '/operator/audit', label: 'Audit log', icon: 'scroll' },
]

export function Shell({ path, children }: { path: string; children: ComponentChildren }): JSX.Element {
  const { me } = useWho()
  const operating = path.startsWith('/operator')
  return (
    <div class="shell">
      <SkipLink />
      <PhoneBar operating={operating} />
      <nav class="side" aria-label="Console">
        <a class="logo" href="/">
          <Mark /> Sauti
        </a>
        <Places title="Develop" places={DEVELOPER_PLACES} path={path} here={!operating} />
        {me.role === 'operator' && (
          <Places title="Operate" places={OPERATOR_PLACES} path={path} here={operating} />
        )}
        <div class="who">
          <strong>{me.name}</strong>
          <span class="mail">{me.email}</span>
          <div class="row apart">
            <SignOut />
            <ThemeSwitch />
          </div>
        </div>
      </nav>
      {children}
    </div>
  )
}

function PhoneBar({ operating }: { operating: boolean }): JSX.Element {
  const { me } = useWho()
  return (
    <header class="phone-bar">
      <a class="logo" href="/">
        <Mark /> Sauti
      </a>
      <div class="row">
        {me.role === 'operator' && (
          <a class="button quiet small" href={operating ? '/app' : '/operator'}>
            {operating ? 'Develop' : 'Operate'}
          </a>
        )}
        <ThemeSwitch />
      </div>
    </header>
  )
}

interface PlacesProps {
  title: string
  places: readonly Place[]
  path: string
  here: boolean
}

function Places({ title, places, path, here }: PlacesProps): JSX.Element {
  return (
    <div class={here ? 'group here' : 'group'}>
      <h2>{title}</h2>
      <ul>
        {places.map(place => (
          <li key={place.path}>
            <a href={place.path} {...(isCurrent(place.path, path) && { 'aria-current': 'page' as const })}>
              <Icon name={place.icon} />
              {place.label}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

function isCurrent(place: string, path: string): boolean {
  const isRoot = place === '/app' || place === '/operator'
  return path === place || (!isRoot && path.startsWith(`${place}/`))
}

export function SignOut(): JSX.Element {
  const leave = async () => {
    await post('/sign-out')
    location.assign('/signin')
  }
  return (
    <button type="button" class="button bare small" onClick={leave}>
      Sign out
    </button>
  )
}

function SkipLink(): JSX.Element {
  return (
    <a class="skip" href="#main">
      Skip to content
    </a>
  )
}

interface PageProps {
  title: string
  actions?: ComponentChildren
  children: ComponentChildren
}

/** A page of the console: names itself to the tab and to the screen reader. */
export function Page({ title, actions, children }: PageProps): JSX.Element {
  useTitle(title)
  return (
    <main class="page" id="main" tabIndex={-1}>
      <div class="page-head">
        <h1>{title}</h1>
        {actions}
      </div>
      {children}
    </main>
  )
}

export function NarrowPage({ title, wider = false, children }: PageProps & { wider?: boolean }): JSX.Element {
  useTitle(title)
  return (
    <main class={wider ? 'narrow wider' : 'narrow'} id="main" tabIndex={-1}>
      <h1>{title}</h1>
      {children}
    </main>
  )
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Sauti`
    if (document.activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true })
  }, [title])
}
