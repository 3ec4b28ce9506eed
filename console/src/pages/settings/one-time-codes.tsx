// Turns one-time codes on and off: the second step of signing in.

import type { OneTimeCodeSetup } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { useWho } from '../../app/who.tsx'
import { CopyLine } from '../../ui/copy-button.tsx'
import { Dialog, DialogEnd } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { PasswordField } from '../../ui/password-field.tsx'

export function OneTimeCodes(): JSX.Element {
  const { me } = useWho()
  const [open, setOpen] = useState(false)
  return (
    <section class="card" aria-labelledby="codes-title">
      <h2 id="codes-title">One-time codes</h2>
      <p class="muted">
        {me.one_time_codes
          ? 'Signing in asks for a code from your authenticator app.'
          : 'Ask for a code from an authenticator app after the password.'}
      </p>
      <button type="button" class="button quiet" onClick={() => setOpen(true)}>
        {me.one_time_codes ? 'Turn off' : 'Turn on'}
      </button>
      {open && <Change isOn={me.one_time_codes} onClose={() => setOpen(false)} />}
    </section>
  )
}

function Change({ isOn, onClose }: { isOn: boolean; onClose: () => void }): JSX.Element {
  const { refresh } = useWho()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [setup, setSetup] = useState<OneTimeCodeSetup>()
  const submission = useSubmit(async () => {
    if (!isOn && setup === undefined) {
      setSetup(await post<OneTimeCodeSetup>('/one-time-codes/begin', { password }))
      return
    }
    if (isOn) await post('/one-time-codes/end', { password })
    else await post('/one-time-codes/finish', { code: code.trim() })
    await refresh()
    onClose()
  })
  return (
    <Dialog title={isOn ? 'Turn off one-time codes?' : 'Turn on one-time codes'} onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        {setup === undefined ? (
          <PasswordField value={password} onText={setPassword} />
        ) : (
          <Setup setup={setup} code={code} onCode={setCode} />
        )}
        <DialogEnd
          action={isOn ? 'Turn off' : setup === undefined ? 'Continue' : 'Turn on'}
          busy={submission.busy}
          error={submission.error}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}

interface SetupProps {
  setup: OneTimeCodeSetup
  code: string
  onCode: (code: string) => void
}

function Setup({ setup, code, onCode }: SetupProps): JSX.Element {
  return (
    <>
      <p>
        <a href={setup.uri}>Open in your authenticator app</a>, or enter this key in it:
      </p>
      <CopyLine text={new URL(setup.uri).searchParams.get('secret') ?? ''} label="Copy the key" />
      <p>Save these backup codes now. Each works once if you lose the app, and they are not shown again:</p>
      <CopyLine text={setup.backup_codes.join(' ')} label="Copy the backup codes" />
      <Field
        label="Code from the app"
        name="code"
        autocomplete="one-time-code"
        required
        value={code}
        onText={onCode}
      />
    </>
  )
}
