// One's own name and password, and the account's facts.

import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '@sauti/protocol/console-rules'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { call, post } from '../app/api.ts'
import { Page, SignOut } from '../app/frames.tsx'
import { useSubmit } from '../app/use-submit.ts'
import { useWho } from '../app/who.tsx'
import { Field } from '../ui/field.tsx'
import { Notice, Problem } from '../ui/notice.tsx'
import { DeleteMe } from './delete-me.tsx'

export function Settings(): JSX.Element {
  return (
    <Page title="Settings" actions={<SignOut />}>
      <div class="split">
        <div class="stack">
          <Profile />
          <AccountFacts />
        </div>
        <div class="stack">
          <Password />
          <DeleteMe />
        </div>
      </div>
    </Page>
  )
}

function Profile(): JSX.Element {
  const { me, refresh } = useWho()
  const [name, setName] = useState(me.name)
  const [saved, setSaved] = useState(false)
  const submission = useSubmit(async () => {
    await call('PATCH', '/me', { name: name.trim() })
    await refresh()
    setSaved(true)
  })
  return (
    <section class="card" aria-labelledby="profile-title">
      <h2 id="profile-title">You</h2>
      <form onSubmit={submission.onSubmit}>
        <Field
          label="Name"
          name="name"
          autocomplete="name"
          required
          maxLength={100}
          value={name}
          onText={setName}
        />
        <p class="muted small">Signed in as {me.email}.</p>
        {submission.error !== undefined && <Problem error={submission.error} />}
        {saved && !submission.busy && <Notice tone="good">Saved.</Notice>}
        <button type="submit" class="button" disabled={submission.busy || name.trim() === me.name}>
          Save
        </button>
      </form>
    </section>
  )
}

function AccountFacts(): JSX.Element | null {
  const { me } = useWho()
  if (me.account === null) return null
  return (
    <section class="card" aria-labelledby="account-title">
      <h2 id="account-title">Account</h2>
      <dl class="pairs">
        <dt>Name</dt>
        <dd>{me.account.name}</dd>
        <dt>Number</dt>
        <dd class="mono">{me.account.id}</dd>
        <dt>State</dt>
        <dd>
          {me.account.active ? (
            <span class="badge good">active</span>
          ) : (
            <span class="badge bad">not active</span>
          )}
        </dd>
        <dt>Sessions at once</dt>
        <dd>{me.account.concurrency_limit}</dd>
        <dt>API address</dt>
        <dd class="mono">{me.base_url}</dd>
      </dl>
    </section>
  )
}

function Password(): JSX.Element {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [saved, setSaved] = useState(false)
  const submission = useSubmit(async () => {
    await post('/password', { current_password: current, new_password: next })
    setCurrent('')
    setNext('')
    setSaved(true)
  })
  return (
    <section class="card" aria-labelledby="password-title">
      <h2 id="password-title">Password</h2>
      <form onSubmit={submission.onSubmit}>
        <Field
          label="Current password"
          name="current"
          type="password"
          autocomplete="current-password"
          required
          value={current}
          onText={setCurrent}
        />
        <Field
          label="New password"
          hint={`At least ${MIN_PASSWORD_CHARACTERS} characters. Other browsers are signed out.`}
          name="new"
          type="password"
          autocomplete="new-password"
          required
          minLength={MIN_PASSWORD_CHARACTERS}
          maxLength={MAX_PASSWORD_CHARACTERS}
          value={next}
          onText={setNext}
        />
        {submission.error !== undefined && <Problem error={submission.error} />}
        {saved && !submission.busy && <Notice tone="good">The password is changed.</Notice>}
        <button type="submit" class="button" disabled={submission.busy}>
          Change the password
        </button>
      </form>
    </section>
  )
}
