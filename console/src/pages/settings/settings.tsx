// One's own name, password and theme, and the facts of the account.

import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '@sauti/protocol/console-rules'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { call, post } from '../../app/api.ts'
import { Page, SignOut } from '../../app/frames.tsx'
import { useSubmit } from '../../app/use-submit.ts'
import { useWho } from '../../app/who.tsx'
import { Field } from '../../ui/field.tsx'
import { LanguageSwitch } from '../../ui/language-switch.tsx'
import { Notice, Problem } from '../../ui/notice.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { ThemeChoice } from '../../ui/theme-switch.tsx'
import { Team } from '../account/team.tsx'
import { DeleteMe } from './delete-me.tsx'
import { OneTimeCodes } from './one-time-codes.tsx'
import { Passkeys } from './passkeys.tsx'
import { SignIns } from './sign-ins.tsx'

export function Settings(): JSX.Element {
  const { me } = useWho()
  return (
    <Page
      title="Settings"
      actions={
        <div class="phone-only">
          <LanguageSwitch />
          <SignOut />
        </div>
      }
    >
      <div class="split">
        <div class="stack">
          <Profile />
          <AccountFacts />
          {me.account !== null && <Team />}
          <Appearance />
        </div>
        <div class="stack">
          {me.has_password ? <Password /> : <NoPassword />}
          <OneTimeCodes />
          <Passkeys />
          <SignIns />
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
      <h2 id="profile-title">Profile</h2>
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
        <button type="submit" class="button quiet" aria-disabled={submission.busy}>
          Save
        </button>
      </form>
    </section>
  )
}

function Appearance(): JSX.Element {
  return (
    <section class="card" aria-labelledby="appearance-title">
      <h2 id="appearance-title">Appearance</h2>
      <ThemeChoice />
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
        <dt>Account ID</dt>
        <dd class="mono">{me.account.id}</dd>
        <dt>Status</dt>
        <dd>
          {me.account.active ? (
            <span class="badge good">Active</span>
          ) : (
            <span class="badge bad">Inactive</span>
          )}
        </dd>
        <dt>Concurrency limit</dt>
        <dd>{me.account.concurrency_limit}</dd>
        <dt>API base URL</dt>
        <dd class="mono">{me.base_url}</dd>
      </dl>
    </section>
  )
}

function NoPassword(): JSX.Element {
  return (
    <section class="card" aria-labelledby="password-title">
      <h2 id="password-title">Password</h2>
      <p class="muted">You sign in with your organisation and have no password here.</p>
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
        <PasswordField label="Current password" name="current" value={current} onText={setCurrent} />
        <Field
          label="New password"
          hint={`At least ${MIN_PASSWORD_CHARACTERS} characters. You will be signed out on other devices.`}
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
        {saved && !submission.busy && <Notice tone="good">Your password was changed.</Notice>}
        <button type="submit" class="button quiet" aria-disabled={submission.busy}>
          Change password
        </button>
      </form>
    </section>
  )
}
