// Ask for a new password. The answer never says whether the address is known.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../app/api.ts'
import { NarrowPage } from '../app/frames.tsx'
import { useSubmit } from '../app/use-submit.ts'
import { Field } from '../ui/field.tsx'
import { Notice, Problem } from '../ui/notice.tsx'

export function Forgot(): JSX.Element {
  const [email, setEmail] = useState('')
  const [answer, setAnswer] = useState<{ mail: boolean }>()
  const submission = useSubmit(async () =>
    setAnswer(await post<{ mail: boolean }>('/forgot-password', { email })),
  )
  return (
    <NarrowPage title="A new password">
      {answer === undefined ? (
        <form class="card" onSubmit={submission.onSubmit}>
          <Field
            label="E-mail"
            name="email"
            type="email"
            autocomplete="username"
            required
            onText={setEmail}
          />
          {submission.error !== undefined && <Problem error={submission.error} />}
          <button type="submit" class="button" disabled={submission.busy}>
            Send me a link
          </button>
        </form>
      ) : (
        <Notice tone="good">
          <p>{answer.mail ? MAILED : ASK_OPERATOR}</p>
        </Notice>
      )}
      <p>
        <a href="/signin">Back to sign in</a>
      </p>
    </NarrowPage>
  )
}

const MAILED =
  'If this address has an account, a link to choose a new password is on its way. It works once, for three days.'
const ASK_OPERATOR = 'This server sends no e-mail. Ask its operator for a link to choose a new password.'
