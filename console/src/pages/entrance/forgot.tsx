// Ask for a new password. The response never says whether the address is known.

import type { Features } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { NarrowPage } from '../../app/frames.tsx'
import { useLoad } from '../../app/use-load.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { Field } from '../../ui/field.tsx'
import { Notice, Problem, Shown } from '../../ui/notice.tsx'

export function Forgot(): JSX.Element {
  const features = useLoad<Features>('/features')
  return (
    <NarrowPage title="Reset your password">
      <Shown of={features}>{({ mail }) => (mail ? <ByEmail /> : <Notice>{ASK_OPERATOR}</Notice>)}</Shown>
      <p>
        <a href="/signin">Back to sign in</a>
      </p>
    </NarrowPage>
  )
}

function ByEmail(): JSX.Element {
  const [email, setEmail] = useState('')
  const [sent, setSent] = useState(false)
  const submission = useSubmit(async () => {
    await post('/forgot-password', { email })
    setSent(true)
  })
  return (
    <>
      {!sent ? (
        <form class="card" onSubmit={submission.onSubmit}>
          <Field label="Email" name="email" type="email" autocomplete="username" required onText={setEmail} />
          {submission.error !== undefined && <Problem error={submission.error} />}
          <button type="submit" class="button" aria-disabled={submission.busy}>
            Send link
          </button>
        </form>
      ) : (
        <Notice tone="good">
          <p>{MAILED}</p>
        </Notice>
      )}
    </>
  )
}

const MAILED =
  'If an account uses this address, we have sent it a link to set a new password. The link works once and expires in one hour.'
const ASK_OPERATOR = 'This server does not send email. Ask its operator for a link to set a new password.'
