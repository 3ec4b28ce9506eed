// Sign in with email and password.

import type { Me, SignInRequest } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { NarrowPage } from '../../app/frames.tsx'
import { navigate } from '../../app/router.tsx'
import { useSubmit } from '../../app/use-submit.ts'
import { Field } from '../../ui/field.tsx'
import { Problem } from '../../ui/notice.tsx'
import { OtherWays } from './other-ways.tsx'
import { SignInCode } from './sign-in-code.tsx'

export function SignIn(): JSX.Element {
  const [form, setForm] = useState<SignInRequest>({ email: '', password: '' })
  const submission = useSubmit(async () => enter(await post<Me>('/sign-in', form)))
  if (submission.error?.code === 'code_required') return <SignInCode onDone={enter} />
  return (
    <NarrowPage title="Sign in">
      <form class="card" onSubmit={submission.onSubmit}>
        <Field
          label="Email"
          name="email"
          type="email"
          autocomplete="username"
          required
          onText={email => setForm(before => ({ ...before, email }))}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          onText={password => setForm(before => ({ ...before, password }))}
        />
        {submission.error !== undefined && <Problem error={submission.error} />}
        <div class="row apart">
          <button type="submit" class="button" aria-disabled={submission.busy}>
            Sign in
          </button>
          <a href="/forgot">Forgot password?</a>
        </div>
      </form>
      <OtherWays onDone={enter} />
      <p class="muted">
        No account yet? <a href="/join">Join the waitlist</a>
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
