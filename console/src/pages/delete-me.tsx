// The way out: the sign-in and everything that says who one is.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../app/api.ts'
import { useSubmit } from '../app/use-submit.ts'
import { Dialog, DialogEnd } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'

export function DeleteMe(): JSX.Element {
  const [open, setOpen] = useState(false)
  return (
    <section class="card" aria-labelledby="delete-title">
      <h2 id="delete-title">Leave</h2>
      <p class="muted">
        Deletes your sign-in, name, e-mail, organisation and what you wrote when you joined.{' '}
        <a href="/docs/guides/privacy#leaving">What stays?</a>
      </p>
      <button type="button" class="button quiet" onClick={() => setOpen(true)}>
        Delete my sign-in and data…
      </button>
      {open && <ConfirmDeletion onClose={() => setOpen(false)} />}
    </section>
  )
}

function ConfirmDeletion({ onClose }: { onClose: () => void }): JSX.Element {
  const [password, setPassword] = useState('')
  const submission = useSubmit(async () => {
    await post('/me/delete', { password })
    location.assign('/')
  })
  return (
    <Dialog title="Delete your sign-in and data?" onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <p>This happens at once and cannot be undone:</p>
        <ul>
          <li>You are signed out everywhere and cannot sign in again.</li>
          <li>
            If nobody else belongs to your account, it is closed: its keys are revoked, open streams end
            within seconds, and the credit that is left is lost.
          </li>
        </ul>
        <Field
          label="Your password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          value={password}
          onText={setPassword}
        />
        <DialogEnd
          action="Delete for ever"
          danger
          busy={submission.busy}
          error={submission.error}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
