// Passkeys of the signed-in person: a device that signs in with a fingerprint or a PIN instead of the password.

import type { Features, PasskeyList, PasskeyView } from '@sauti/protocol/console'
import { PASSKEY_LIMIT } from '@sauti/protocol/console-rules'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../app/api.ts'
import { useLoad } from '../../app/use-load.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { Confirm, Dialog, DialogEnd } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { formatDateTime } from '../../ui/format.ts'
import { Problem } from '../../ui/notice.tsx'

/** Why passkeys cannot be added here; undefined where they can. */
function whyNot({ passkeys, public_url }: Features): string | undefined {
  if (!passkeys)
    return 'Passkeys need a host name, but the address of this service is an IP address. Its operator can change that.'
  return location.origin === public_url ? undefined : `Passkeys work only at ${public_url}.`
}

export function Passkeys(): JSX.Element {
  const features = useLoad<Features>('/features')
  const list = useLoad<PasskeyList>('/passkeys')
  const [adding, setAdding] = useState(false)
  const passkeys = list.data?.data ?? []
  const reason = features.data && whyNot(features.data)
  return (
    <section class="card" aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">Passkeys</h2>
      <p class="muted">
        {reason ?? 'Sign in with a fingerprint, a PIN or a security key instead of the password.'}
      </p>
      {list.error !== undefined && <Problem error={list.error} />}
      {passkeys.length > 0 && (
        <ul class="plain">
          {passkeys.map(passkey => (
            <Row key={passkey.id} passkey={passkey} onChange={list.reload} />
          ))}
        </ul>
      )}
      {features.data && reason === undefined && passkeys.length < PASSKEY_LIMIT && (
        <button type="button" class="button quiet" onClick={() => setAdding(true)}>
          Add a passkey
        </button>
      )}
      {adding && <Add onDone={list.reload} onClose={() => setAdding(false)} />}
    </section>
  )
}

function Row({ passkey, onChange }: { passkey: PasskeyView; onChange: () => void }): JSX.Element {
  const [open, setOpen] = useState<'rename' | 'remove'>()
  const close = () => setOpen(undefined)
  const remove = async () => {
    await call('DELETE', `/passkeys/${passkey.id}`)
    onChange()
  }
  return (
    <li class="row between">
      <span>
        {passkey.name}
        <br />
        <span class="muted small">{lastUse(passkey)}</span>
      </span>
      <span class="row">
        <button
          type="button"
          class="button quiet small"
          aria-label={`Rename ${passkey.name}`}
          onClick={() => setOpen('rename')}
        >
          Rename
        </button>
        <button
          type="button"
          class="button quiet small"
          aria-label={`Remove ${passkey.name}`}
          onClick={() => setOpen('remove')}
        >
          Remove
        </button>
      </span>
      {open === 'rename' && <Rename passkey={passkey} onDone={onChange} onClose={close} />}
      {open === 'remove' && (
        <Confirm title="Remove this passkey?" action="Remove" danger run={remove} onClose={close}>
          <p>You can no longer sign in with “{passkey.name}”. Delete it on the device, too.</p>
        </Confirm>
      )}
    </li>
  )
}

function lastUse({ created_at, last_used_at }: PasskeyView): string {
  const when = formatDateTime(last_used_at ?? created_at)
  return last_used_at === null ? `Added ${when}, not used yet` : `Last used ${when}`
}

interface NameDialogProps {
  onDone: () => void
  onClose: () => void
}

function Add({ onDone, onClose }: NameDialogProps): JSX.Element {
  const add = async (name: string) => {
    const { addPasskey } = await import('../../app/passkey.ts')
    await addPasskey(name)
  }
  return (
    <NameDialog title="Add a passkey" action="Continue" run={add} onDone={onDone} onClose={onClose}>
      Your browser then asks for the device.
    </NameDialog>
  )
}

function Rename({ passkey, ...dialog }: NameDialogProps & { passkey: PasskeyView }): JSX.Element {
  const rename = (name: string) => call<void>('PATCH', `/passkeys/${passkey.id}`, { name })
  return (
    <NameDialog title="Rename this passkey" action="Save" first={passkey.name} run={rename} {...dialog} />
  )
}

interface NameProps extends NameDialogProps {
  title: string
  action: string
  first?: string
  children?: string
  run: (name: string) => Promise<void>
}

function NameDialog({ title, action, first = '', children, run, onDone, onClose }: NameProps): JSX.Element {
  const [name, setName] = useState(first)
  const submission = useSubmit(async () => {
    await run(name.trim())
    onDone()
    onClose()
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <Field
          label="Name"
          hint="To tell your devices apart, such as “Work laptop”."
          name="passkey-name"
          required
          maxLength={80}
          value={name}
          onText={setName}
        />
        {children !== undefined && <p class="muted">{children}</p>}
        <DialogEnd action={action} busy={submission.busy} error={submission.error} onClose={onClose} />
      </form>
    </Dialog>
  )
}
