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
      <NarrowPage title="This link does not work">
        <Notice tone="warn">
          <p>{refusal.message}</p>
        </Notice>
        <p>
          <a href="/signin">Sign in</a> or <a href="/forgot">get a new link</a>.
        </p>
      </NarrowPage>
    )
  }
  if (token === '') {
    return (
      <NarrowPage title="Set your password">
        <Notice tone="warn">
          <p>This link is incomplete. Open the whole link that you were sent.</p>
        </Notice>
      </NarrowPage>
    )
  }
  return (
    <NarrowPage title="Set your password">
      <form class="card" onSubmit={submission.onSubmit}>
        <Field
          label="New password"
          hint={`At least ${MIN_PASSWORD_CHARACTERS} characters. A few random words are easy to remember and hard to guess.`}
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
          Save and sign in
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
