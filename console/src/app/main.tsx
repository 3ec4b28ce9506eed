// The app: which frame an address belongs to, and which page stands in it. Pages arrive when they are first asked for.

import '../styles/fonts.css'
import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/parts.css'
import '../styles/frame.css'
import '../styles/app.css'
import { type JSX, render } from 'preact'
import { chooseLanguage, homePath, loadLanguage, loadTexts, t } from '../texts/texts.ts'
import { Skeleton } from '../ui/notice.tsx'
import { NarrowPage, Page, Shell, ShellOutline, VisitorFrame } from './frames.tsx'
import { findRoute, type Route, Router, usePath } from './router.tsx'
import { SignedIn } from './who.tsx'

const developer = () => withTexts('sessions', import('../pages/developer.tsx'))
const entrance = () => withTexts('entrance', import('../pages/entrance.tsx'))
const joining = () => withTexts('entrance', import('../pages/joining.tsx'))
const playground = () => withTexts('playground', import('../playground/page.tsx'))
const operator = () => withTexts('sessions', import('../pages/operator.tsx'))

const VISITOR_ROUTES: readonly Route[] = [
  { pattern: '/join', load: async () => (await joining()).Join },
  { pattern: '/waiting', load: async () => (await joining()).WaitingRoom },
  { pattern: '/signin', load: async () => (await entrance()).SignIn },
  { pattern: '/forgot', load: async () => (await entrance()).Forgot },
  { pattern: '/welcome', load: async () => (await entrance()).Welcome },
]
const MEMBER_ROUTES: readonly Route[] = [
  { pattern: '/app', load: async () => (await developer()).Overview },
  { pattern: '/app/keys', load: async () => (await developer()).Keys },
  { pattern: '/app/sessions', load: async () => (await developer()).Sessions },
  { pattern: '/app/settings', load: async () => (await developer()).Settings },
  { pattern: '/app/playground', load: async () => (await playground()).Playground },
  { pattern: '/operator', load: async () => (await operator()).Waitlist },
  { pattern: '/operator/accounts', load: async () => (await operator()).Accounts },
  { pattern: '/operator/accounts/:id', load: async () => (await operator()).Account },
  { pattern: '/operator/sessions', load: async () => (await operator()).AllSessions },
  { pattern: '/operator/operators', load: async () => (await operator()).Operators },
  { pattern: '/operator/health', load: async () => (await operator()).HealthPage },
  { pattern: '/operator/audit', load: async () => (await operator()).Audit },
]

/** Pages and their words arrive side by side. */
async function withTexts<Pages>(
  group: Parameters<typeof loadTexts>[0],
  pages: Promise<Pages>,
): Promise<Pages> {
  await loadTexts(group)
  return pages
}

function App(): JSX.Element {
  const path = usePath()
  if (!path.startsWith('/app') && !path.startsWith('/operator')) {
    return (
      <VisitorFrame>
        <Router path={path} routes={VISITOR_ROUTES} missing={Missing} wait={Wait} />
      </VisitorFrame>
    )
  }
  return (
    <SignedIn frame={ShellOutline}>
      <Shell path={path}>
        <Router path={path} routes={MEMBER_ROUTES} missing={MissingInside} wait={Wait} />
      </Shell>
    </SignedIn>
  )
}

function Wait(): JSX.Element {
  return (
    <main class="page" id="main" tabIndex={-1}>
      <Skeleton />
    </main>
  )
}

function Missing(): JSX.Element {
  return (
    <NarrowPage title={t('missing.title')}>
      <WayOut />
    </NarrowPage>
  )
}

/** Where the menu is, the title stands where all titles stand. */
function MissingInside(): JSX.Element {
  return (
    <Page title={t('missing.title')} translated>
      <WayOut />
    </Page>
  )
}

function WayOut(): JSX.Element {
  return (
    <>
      <p>{t('missing.text')}</p>
      <ul>
        <li>
          <a href={homePath()}>{t('missing.home')}</a>
        </li>
        <li>
          <a href="/docs">{t('common.documentation')}</a>
        </li>
      </ul>
    </>
  )
}

loadLanguage(chooseLanguage()).then(() => render(<App />, document.getElementById('app') as HTMLElement))
// The first page is on its way while the common words are; the router asks again and tells what goes wrong.
findRoute([...VISITOR_ROUTES, ...MEMBER_ROUTES], location.pathname)
  ?.route.load()
  .catch(() => undefined)
