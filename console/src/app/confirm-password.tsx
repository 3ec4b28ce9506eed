// Asks for the password again where the server wants it, and then repeats what was asked for.

import { type JSX, render } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog, DialogEnd } from '../ui/dialog.tsx'
import { PasswordField } from '../ui/password-field.tsx'
import { useSubmit } from './use-submit.ts'

/** False when the person closes the dialog instead. `send` checks the password and throws when it is wrong. */
export function askForPassword(send: (password: string) => Promise<void>): Promise<boolean> {
  const place = document.body.appendChild(document.createElement('div'))
  return new Promise(resolve => {
    const close = (confirmed: boolean) => {
      render(null, place)
      place.remove()
      resolve(confirmed)
    }
    render(<AskForPassword send={send} onDone={() => close(true)} onClose={() => close(false)} />, place)
  })
}

interface AskProps {
  send: (password: string) => Promise<void>
  onDone: () => void
  onClose: () => void
}

function AskForPassword({ send, onDone, onClose }: AskProps): JSX.Element {
  const [password, setPassword] = useState('')
  const submission = useSubmit(async () => {
    await send(password)
    onDone()
  })
  return (
    <Dialog title="Enter your password" onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <p class="muted">You signed in a while ago. This protects keys, credit and links.</p>
        <PasswordField name="confirm-password" value={password} onText={setPassword} />
        <DialogEnd action="Continue" busy={submission.busy} error={submission.error} onClose={onClose} />
      </form>
    </Dialog>
  )
}
