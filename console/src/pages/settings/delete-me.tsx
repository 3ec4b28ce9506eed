// Delete one's own sign-in and personal data.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { useWho } from '../../app/who.tsx'
import { homePath } from '../../texts/texts.ts'
import { Dialog, DialogEnd } from '../../ui/dialog.tsx'
import { PasswordField } from '../../ui/password-field.tsx'

export function DeleteMe(): JSX.Element {
  const [open, setOpen] = useState(false)
  return (
    <section class="card" aria-labelledby="delete-title">
      <h2 id="delete-title">Delete my data</h2>
      <p class="muted">
        Deletes your sign-in, name, email, organisation and the answers you gave when you joined.{' '}
        <a href="/docs/guides/privacy#deleting-your-data">What is kept?</a>
      </p>
      <button type="button" class="button quiet" onClick={() => setOpen(true)}>
        Delete my sign-in and data
      </button>
      {open && <ConfirmDeletion onClose={() => setOpen(false)} />}
    </section>
  )
}

function ConfirmDeletion({ onClose }: { onClose: () => void }): JSX.Element {
  const { me } = useWho()
  const [password, setPassword] = useState('')
  const submission = useSubmit(async () => {
    await post('/me/delete', me.has_password ? { password } : {})
    location.assign(homePath())
  })
  return (
    <Dialog title="Delete your sign-in and data?" onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <p>This takes effect immediately and cannot be undone:</p>
        <ul>
          <li>You are signed out everywhere and cannot sign in again.</li>
          <li>
            If nobody else belongs to your account, it is closed: its keys are revoked, open streams end
            within seconds, and any remaining credit is lost.
          </li>
        </ul>
        {me.has_password && <PasswordField value={password} onText={setPassword} />}
        <DialogEnd
          action="Delete permanently"
          danger
          busy={submission.busy}
          error={submission.error}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
