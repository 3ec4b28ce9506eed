// Ask for a new password. The response never says whether the address is known.

import type { Features } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { NarrowPage } from '../../app/frames.tsx'
import { useLoad } from '../../app/use-load.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { t } from '../../texts/texts.ts'
import { Field } from '../../ui/field.tsx'
import { Notice, Problem, Shown } from '../../ui/notice.tsx'

export function Forgot(): JSX.Element {
  const features = useLoad<Features>('/features')
  return (
    <NarrowPage title={t('new_password.reset')}>
      <Shown of={features}>
        {({ mail }) => (mail ? <ByEmail /> : <Notice>{t('new_password.ask_operator')}</Notice>)}
      </Shown>
      <p>
        <a href="/signin">{t('new_password.back')}</a>
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
          <Field
            label={t('common.email')}
            name="email"
            type="email"
            autocomplete="username"
            required
            onText={setEmail}
          />
          {submission.error !== undefined && <Problem error={submission.error} />}
          <button type="submit" class="button" aria-disabled={submission.busy}>
            {t('new_password.send')}
          </button>
        </form>
      ) : (
        <Notice tone="good">
          <p>{t('new_password.mailed')}</p>
        </Notice>
      )}
    </>
  )
}
