// Join the waitlist. The response is the same whether the address is new, waiting or already has an account.

import type { ApplicationState, JoinRequest } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { NarrowPage } from '../../app/frames.tsx'
import { navigate } from '../../app/router.tsx'
import { useSubmit } from '../../app/use-submit.ts'
import { t } from '../../texts/texts.ts'
import { Field } from '../../ui/field.tsx'
import { Problem } from '../../ui/notice.tsx'

export function Join(): JSX.Element {
  const [form, setForm] = useState<JoinRequest>({ name: '', email: '', organisation: '', use: '' })
  const set = (name: keyof JoinRequest) => (text: string) => setForm(before => ({ ...before, [name]: text }))
  const submission = useSubmit(async () => {
    await post<ApplicationState>('/waitlist', form)
    navigate('/waiting')
  })
  return (
    <NarrowPage title={t('join.title')} wider>
      <p>{t('join.lead')}</p>
      <form class="card" onSubmit={submission.onSubmit}>
        <Field
          label={t('join.name')}
          name="name"
          autocomplete="name"
          required
          maxLength={100}
          onText={set('name')}
        />
        <Field
          label={t('common.email')}
          name="email"
          type="email"
          autocomplete="email"
          required
          maxLength={254}
          onText={set('email')}
        />
        <Field
          label={t('join.organisation')}
          name="organisation"
          autocomplete="organization"
          maxLength={120}
          onText={set('organisation')}
        />
        <Field
          label={t('join.use')}
          hint={t('join.use_hint')}
          name="use"
          rows={4}
          required
          maxLength={1000}
          onText={set('use')}
        />
        {submission.error !== undefined && <Problem error={submission.error} />}
        <button type="submit" class="button" aria-disabled={submission.busy}>
          {t('join.submit')}
        </button>
      </form>
      <p class="small muted">
        {t('join.kept')} {t('join.approved')} <a href="/signin">{t('common.sign_in')}</a>
      </p>
    </NarrowPage>
  )
}
