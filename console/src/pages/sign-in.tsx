// Sign in with e-mail and password.

import type { Me, SignInRequest } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../app/api.ts'
import { NarrowPage } from '../app/frames.tsx'
import { navigate } from '../app/router.tsx'
import { useSubmit } from '../app/use-submit.ts'
import { Field } from '../ui/field.tsx'
import { Problem } from '../ui/notice.tsx'

export function SignIn(): JSX.Element {
  const [form, setForm] = useState<SignInRequest>({ email: '', password: '' })
  const submission = useSubmit(async () => enter(await post<Me>('/sign-in', form)))
  return (
    <NarrowPage title="Sign in">
      <form class="card" onSubmit={submission.onSubmit}>
        <Field
          label="E-mail"
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
          <button type="submit" class="button" disabled={submission.busy}>
            Sign in
          </button>
          <a href="/forgot">Forgot the password?</a>
        </div>
      </form>
      <p class="muted">
        No account yet? <a href="/join">Join the waitlist</a>.
      </p>
    </NarrowPage>
  )
}

/** To where one wanted to go, if that is a place inside; else to the home of one's role. */
export function enter(me: Me): void {
  const wanted = new URLSearchParams(location.search).get('next') ?? ''
  const inside = /^\/(app|operator)(\/[A-Za-z0-9/-]*)?$/.test(wanted)
  navigate(inside ? wanted : me.account === null ? '/operator' : '/app')
}
