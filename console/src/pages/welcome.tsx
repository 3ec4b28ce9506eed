// Where a one-use link leads: choose a password and be signed in. The token stands behind the #, so that no server log,
// proxy or referrer ever sees it, and it leaves the address bar at once.

import type { Me } from '@sauti/protocol/console'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '@sauti/protocol/console-rules'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { post } from '../app/api.ts'
import { NarrowPage } from '../app/frames.tsx'
import { useSubmit } from '../app/use-submit.ts'
import { Field } from '../ui/field.tsx'
import { Notice, Problem } from '../ui/notice.tsx'
import { enter } from './sign-in.tsx'

export function Welcome(): JSX.Element {
  const [token] = useState(() => location.hash.slice(1))
  const [password, setPassword] = useState('')
  useEffect(() => history.replaceState(null, '', location.pathname), [])
  const submission = useSubmit(async () => enter(await post<Me>('/set-password', { token, password })))
  if (token === '') {
    return (
      <NarrowPage title="Choose a password">
        <Notice tone="warn">
          <p>Open the whole link that you were given: this address is missing its last part.</p>
        </Notice>
      </NarrowPage>
    )
  }
  return (
    <NarrowPage title="Choose a password">
      <form class="card" onSubmit={submission.onSubmit}>
        <Field
          label="New password"
          hint={`At least ${MIN_PASSWORD_CHARACTERS} characters. A few words in a row are easy to remember and hard to guess.`}
          name="password"
          type="password"
          autocomplete="new-password"
          required
          minLength={MIN_PASSWORD_CHARACTERS}
          maxLength={MAX_PASSWORD_CHARACTERS}
          onText={setPassword}
        />
        {submission.error !== undefined && <Problem error={submission.error} />}
        <button type="submit" class="button" disabled={submission.busy}>
          Save and sign in
        </button>
      </form>
    </NarrowPage>
  )
}
