// Where a one-use link leads: set a password and sign in. The token is behind the #, so that no server log, proxy or
// referrer ever sees it, and it is removed from the address bar immediately.

import type { Me } from '@sauti/protocol/console'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '@sauti/protocol/console-rules'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { type ApiError, asApiError } from '../../app/api-error.ts'
import { NarrowPage } from '../../app/frames.tsx'
import { useSubmit } from '../../app/use-submit.ts'
import { findText, t } from '../../texts/texts.ts'
import { Field } from '../../ui/field.tsx'
import { Notice, Problem } from '../../ui/notice.tsx'
import { enter } from './sign-in.tsx'
import { SignInCode } from './sign-in-code.tsx'

export function Welcome(): JSX.Element {
  const [token] = useState(() => location.hash.slice(1))
  const [password, setPassword] = useState('')
  useEffect(() => history.replaceState(null, '', location.pathname), [])
  const submission = useSubmit(async () => enter(await post<Me>('/set-password', { token, password })))
  const refusal = useDeadLink(token)
  if (submission.error?.code === 'code_required') return <SignInCode onDone={enter} />
  if (refusal !== undefined) {
    return (
      <NarrowPage title={t('new_password.dead')}>
        <Notice tone="warn">
          <p>{findText(`errors.${refusal.code}`) ?? refusal.message}</p>
        </Notice>
        <p>
          <a href="/signin">{t('common.sign_in')}</a> · <a href="/forgot">{t('new_password.new_link')}</a>
        </p>
      </NarrowPage>
    )
  }
  if (token === '') {
    return (
      <NarrowPage title={t('new_password.set')}>
        <Notice tone="warn">
          <p>{t('new_password.incomplete')}</p>
        </Notice>
      </NarrowPage>
    )
  }
  return (
    <NarrowPage title={t('new_password.set')}>
      <form class="card" onSubmit={submission.onSubmit}>
        <Field
          label={t('new_password.field')}
          hint={t('new_password.hint', { least: MIN_PASSWORD_CHARACTERS })}
          name="password"
          type="password"
          autocomplete="new-password"
          required
          minLength={MIN_PASSWORD_CHARACTERS}
          maxLength={MAX_PASSWORD_CHARACTERS}
          onText={setPassword}
        />
        {submission.error !== undefined && <Problem error={submission.error} />}
        <button type="submit" class="button" aria-disabled={submission.busy}>
          {t('new_password.save')}
        </button>
      </form>
    </NarrowPage>
  )
}

/** Asked before anybody thinks of a password: a link works once. */
function useDeadLink(token: string): ApiError | undefined {
  const [refusal, setRefusal] = useState<ApiError>()
  useEffect(() => {
    if (token === '') return
    post('/check-link', { token }).catch(error => {
      const refused = asApiError(error)
      if (refused.code === 'invalid_link') setRefusal(refused)
    })
  }, [token])
  return refusal
}
