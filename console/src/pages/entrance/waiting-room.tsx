// After joining: what happens next, and the decision once it is made. The browser knows its request by a cookie.

import type { ApplicationState } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { call } from '../../app/api.ts'
import { NarrowPage } from '../../app/frames.tsx'
import { useLoad, useRefresh } from '../../app/use-load.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { t } from '../../texts/texts.ts'
import { Notice, Problem, Shown } from '../../ui/notice.tsx'

export function WaitingRoom(): JSX.Element {
  const state = useLoad<ApplicationState>('/application')
  useRefresh(state.reload, 15_000)
  return (
    <NarrowPage title={t('waiting.title')} wider>
      <Shown of={state}>
        {({ status }) => (
          <>
            <Decision status={status} />
            {(status === 'waiting' || status === 'declined') && <Withdraw done={state.reload} />}
          </>
        )}
      </Shown>
    </NarrowPage>
  )
}

/** People without an account have no settings page, so they delete their data here. */
function Withdraw({ done }: { done: () => void }): JSX.Element {
  const submission = useSubmit(async () => {
    await call('DELETE', '/application')
    done()
  })
  return (
    <section aria-labelledby="withdraw-title">
      <h2 id="withdraw-title">{t('waiting.withdraw_title')}</h2>
      <p class="muted">{t('waiting.withdraw')}</p>
      {submission.error && <Problem error={submission.error} />}
      <button type="button" class="button quiet" aria-disabled={submission.busy} onClick={submission.run}>
        {t('waiting.withdraw_button')}
      </button>
    </section>
  )
}

function Decision({ status }: ApplicationState): JSX.Element {
  if (status === 'approved') {
    return (
      <>
        <Notice tone="good">
          <p>
            <strong>{t('waiting.approved_title')}</strong> {t('waiting.approved')}
          </p>
        </Notice>
        <p>
          {t('waiting.have_password')} <a href="/signin">{t('common.sign_in')}</a>
        </p>
      </>
    )
  }
  if (status === 'declined') {
    return (
      <Notice tone="warn">
        <p>
          <strong>{t('waiting.declined_title')}</strong> {t('waiting.declined')}{' '}
          <a href="/docs/self-hosting">{t('waiting.declined_link')}</a>
        </p>
      </Notice>
    )
  }
  if (status === 'none') {
    return (
      <Notice>
        <p>
          {t('waiting.none')} <a href="/join">{t('join.title')}</a>
        </p>
      </Notice>
    )
  }
  return (
    <>
      <Notice>
        <p>
          <strong>{t('waiting.waiting_title')}</strong> {t('waiting.waiting')}
        </p>
      </Notice>
      <h2>{t('waiting.meanwhile')}</h2>
      <ul>
        <li>
          <a href="/#demo">{t('waiting.try')}</a>
        </li>
        <li>
          <a href="/docs/quickstart">{t('waiting.read')}</a>
        </li>
        <li>
          <a href="/docs/self-hosting">{t('waiting.run')}</a>
        </li>
      </ul>
    </>
  )
}
