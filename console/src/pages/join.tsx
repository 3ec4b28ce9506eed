// Join the waitlist. The answer is the same whether the address is new, waiting or has an account already.

import type { ApplicationState, JoinRequest } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../app/api.ts'
import { NarrowPage } from '../app/frames.tsx'
import { navigate } from '../app/router.tsx'
import { useSubmit } from '../app/use-submit.ts'
import { Field } from '../ui/field.tsx'
import { Problem } from '../ui/notice.tsx'

export function Join(): JSX.Element {
  const [form, setForm] = useState<JoinRequest>({ name: '', email: '', organisation: '', use: '' })
  const set = (name: keyof JoinRequest) => (text: string) => setForm(before => ({ ...before, [name]: text }))
  const submission = useSubmit(async () => {
    await post<ApplicationState>('/waitlist', form)
    navigate('/waiting')
  })
  return (
    <NarrowPage title="Join the waitlist" wider>
      <p>
        Tell us who you are and what you would build. A person reads every request. When it is approved you
        get a link to choose your password, and starting credit.
      </p>
      <form class="card" onSubmit={submission.onSubmit}>
        <Field
          label="Your name"
          name="name"
          autocomplete="name"
          required
          maxLength={100}
          onText={set('name')}
        />
        <Field
          label="E-mail"
          name="email"
          type="email"
          autocomplete="email"
          required
          maxLength={254}
          onText={set('email')}
        />
        <Field
          label="Organisation"
          hint="Leave it empty if you work for yourself."
          name="organisation"
          autocomplete="organization"
          maxLength={120}
          onText={set('organisation')}
        />
        <Field
          label="What will you use it for?"
          hint="One or two sentences: who speaks, in which language, about how many hours a month."
          name="use"
          rows={4}
          required
          maxLength={1000}
          onText={set('use')}
        />
        {submission.error !== undefined && <Problem error={submission.error} />}
        <button type="submit" class="button" disabled={submission.busy}>
          Join the waitlist
        </button>
      </form>
      <p class="small muted">
        We keep these four answers and nothing else. Already approved? <a href="/signin">Sign in</a>.
      </p>
    </NarrowPage>
  )
}
