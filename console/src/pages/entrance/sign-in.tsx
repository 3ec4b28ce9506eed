// Sign in with email and password.

import type { Me, SignInRequest } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { NarrowPage } from '../../app/frames.tsx'
import { navigate } from '../../app/router.tsx'
import { useSubmit } from '../../app/use-submit.ts'
import { t } from '../../texts/texts.ts'
import { Field } from '../../ui/field.tsx'
import { Problem } from '../../ui/notice.tsx'
import { OtherWays } from './other-ways.tsx'
import { SignInCode } from './sign-in-code.tsx'

export function SignIn(): JSX.Element {
  const [form, setForm] = useState<SignInRequest>({ email: '', password: '' })
  const submission = useSubmit(async () => enter(await post<Me>('/sign-in', form)))
  if (submission.error?.code === 'code_required') return <SignInCode onDone={enter} />
  return (
    <NarrowPage title={t('common.sign_in')}>
      <form class="card" onSubmit={submission.onSubmit}>
        <Field
          label={t('common.email')}
          name="email"
          type="email"
          autocomplete="username"
          required
          onText={email => setForm(before => ({ ...before, email }))}
        />
        <Field
          label={t('sign_in.password')}
          name="password"
          type="password"
          autocomplete="current-password"
          required
          onText={password => setForm(before => ({ ...before, password }))}
        />
        {submission.error !== undefined && <Problem error={submission.error} />}
        <div class="row apart">
          <button type="submit" class="button" aria-disabled={submission.busy}>
            {t('common.sign_in')}
          </button>
          <a href="/forgot">{t('sign_in.forgot')}</a>
        </div>
      </form>
      <OtherWays onDone={enter} />
      <p class="muted">
        {t('sign_in.no_account')} <a href="/join">{t('join.title')}</a>
      </p>
    </NarrowPage>
  )
}

/** To the page that was asked for, if it is one of ours; otherwise to the home of the role. */
export function enter(me: Me): void {
  const wanted = new URLSearchParams(location.search).get('next') ?? ''
  const inside = /^\/(app|operator)(\/[A-Za-z0-9/-]*)?$/.test(wanted)
  navigate(inside ? wanted : me.account === null ? '/operator' : '/app')
}
