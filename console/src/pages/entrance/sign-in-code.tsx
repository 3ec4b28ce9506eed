// The second step of signing in: the code of the authenticator app.

import type { Me } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { NarrowPage } from '../../app/frames.tsx'
import { useSubmit } from '../../app/use-submit.ts'
import { t } from '../../texts/texts.ts'
import { Field } from '../../ui/field.tsx'
import { Problem } from '../../ui/notice.tsx'

export function SignInCode({ onDone }: { onDone: (me: Me) => void }): JSX.Element {
  const [code, setCode] = useState('')
  const submission = useSubmit(async () => onDone(await post<Me>('/sign-in/code', { code: code.trim() })))
  return (
    <NarrowPage title={t('sign_in.code_title')}>
      <form class="card" onSubmit={submission.onSubmit}>
        <Field
          label={t('sign_in.code')}
          hint={t('sign_in.code_hint')}
          name="code"
          autocomplete="one-time-code"
          required
          value={code}
          onText={setCode}
        />
        {submission.error !== undefined && <Problem error={submission.error} />}
        <button type="submit" class="button" aria-disabled={submission.busy}>
          {t('common.sign_in')}
        </button>
      </form>
    </NarrowPage>
  )
}
