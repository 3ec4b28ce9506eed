// The two frames: a top bar for visitors, a sidebar (bottom bar on phones) for people who are signed in.

import type { OperatorBadge } from '@sauti/protocol/console'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { homePath, t } from '../texts/texts.ts'
import { Icon, type IconName, Mark } from '../ui/icons.tsx'
import { LanguageSwitch } from '../ui/language-switch.tsx'
import { ThemeSwitch } from '../ui/theme-switch.tsx'
import { post } from './api.ts'
import { useLoad, useRefresh } from './use-load.ts'
import { isMember, markMember, useWho } from './who.tsx'

export function VisitorFrame({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <>
      <SkipLink />
      <header class="topbar">
        <div class="inner">
          <Logo />
          <nav aria-label={t('common.site')}>
            <LanguageSwitch />
            <a href="/docs">{t('common.docs')}</a>
            {isMember() ? (
              <a href="/app">{t('common.console')}</a>
            ) : (
              <a href="/signin">{t('common.sign_in')}</a>
            )}
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
  /** What waits there; 0: nothing. */
  readonly count?: number
}

const BADGE_REFRESH_MS = 30_000

/** In the reader's language, as the playground beside it is; made when the texts are there. */
const developerPlaces = (): readonly Place[] => [
  { path: '/app', label: t('menu.overview'), icon: 'overview' },
  { path: '/app/playground', label: t('menu.playground'), icon: 'mic' },
  { path: '/app/keys', label: t('menu.keys'), icon: 'key' },
  { path: '/app/sessions', label: t('menu.sessions'), icon: 'pulse' },
  { path: '/app/settings', label: t('menu.settings'), icon: 'settings' },
  { path: '/docs', label: t('menu.docs'), icon: 'book' },
]
const OPERATOR_PLACES: readonly Place[] = [
  { path: '/operator', label: 'Requests', icon: 'list' },
  { path: '/operator/accounts', label: 'Accounts', icon: 'people' },
  { path: '/operator/sessions', label: 'Sessions', icon: 'pulse' },
  { path: '/operator/operators', label: 'Operators', icon: 'shield' },
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
      <nav class="side" aria-label={t('common.console')}>
        <Logo />
        <Places title={t('menu.developer')} places={developerPlaces()} path={path} here={!operating} />
        {me.role === 'operator' && <OperatorPlaces path={path} here={operating} />}
        <div class="who">
          {me.name !== me.email && <strong>{me.name}</strong>}
          <span class="mail">{me.email}</span>
          <div class="row apart">
            <SignOut />
            <div>
              <LanguageSwitch />
              <ThemeSwitch />
            </div>
          </div>
        </div>
      </nav>
      {children}
    </div>
  )
}

/** The same frame while nobody knows yet who is signed in. */
export function ShellOutline({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <div class="shell">
      <header class="phone-bar">
        <Logo />
      </header>
      <nav class="side" aria-label={t('common.console')}>
        <Logo />
      </nav>
      <main class="page" id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

function Logo(): JSX.Element {
  return (
    <a class="logo" href={homePath()}>
      <Mark /> Sauti
    </a>
  )
}

function PhoneBar({ operating }: { operating: boolean }): JSX.Element {
  const { me } = useWho()
  return (
    <header class="phone-bar">
      <Logo />
      <div class="row">
        {me.role === 'operator' && (
          <a class="button quiet small" href={operating ? '/app' : '/operator'}>
            {operating ? t('menu.developer') : 'Operator'}
          </a>
        )}
        <ThemeSwitch />
      </div>
    </header>
  )
}

/** With the number of people who wait for a decision. */
function OperatorPlaces({ path, here }: { path: string; here: boolean }): JSX.Element {
  const badge = useLoad<OperatorBadge>('/operator/badge')
  useRefresh(badge.reload, BADGE_REFRESH_MS)
  const waiting = (badge.data?.applications ?? 0) + (badge.data?.credit_requests ?? 0)
  const places = OPERATOR_PLACES.map(place =>
    place.path === '/operator' ? { ...place, count: waiting } : place,
  )
  return <Places title="Operator" places={places} path={path} here={here} />
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
              {place.count !== undefined && place.count > 0 && (
                <span class="count">
                  {place.count} <span class="visually-hidden">waiting</span>
                </span>
              )}
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
    markMember(false)
    location.assign('/signin')
  }
  return (
    <button type="button" class="button bare small" onClick={leave}>
      {t('menu.sign_out')}
    </button>
  )
}

function SkipLink(): JSX.Element {
  return (
    <a class="skip" href="#main">
      {t('common.skip')}
    </a>
  )
}

interface PageProps {
  title: string
  actions?: ComponentChildren
  /** All its words are in the catalogue. The others are English, whatever the menu beside them is. */
  translated?: boolean
  children: ComponentChildren
}

/** A page of the console: names itself to the tab and to the screen reader. */
export function Page({ title, actions, translated = false, children }: PageProps): JSX.Element {
  useTitle(title)
  return (
    <main class="page" id="main" tabIndex={-1} {...(!translated && { lang: 'en' })}>
      <div class="page-head">
        <h1>{title}</h1>
        {actions}
      </div>
      {children}
    </main>
  )
}

interface NarrowPageProps {
  title: string
  wider?: boolean
  children: ComponentChildren
}

/** A page of visitors; these are all translated. */
export function NarrowPage({ title, wider = false, children }: NarrowPageProps): JSX.Element {
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
