// Change the rules of a key, or replace it by a new one while both work for a while.

import type { ApiKeyView, CreatedApiKey } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { call, post } from '../../app/api.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { Dialog, DialogEnd } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { KeyRulesFields, useKeyRules } from './key-fields.tsx'

interface Props {
  view: ApiKeyView
  onClose: () => void
}

export function EditKey({ view, onClose, onChanged }: Props & { onChanged: () => void }): JSX.Element {
  const [name, setName] = useState(view.name)
  const rules = useKeyRules(view)
  const submission = useSubmit(async () => {
    if (rules.limitSeconds === undefined) return
    await call('PATCH', `/keys/${view.id}`, {
      name: name.trim(),
      monthly_limit_seconds: rules.limitSeconds,
      allowed_addresses: rules.addresses,
    })
    onChanged()
    onClose()
  })
  return (
    <Dialog title={`Edit “${view.name}”`} onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <Field
          label="Name"
          name="key-name"
          required
          maxLength={80}
          autocomplete="off"
          value={name}
          onText={setName}
        />
        <KeyRulesFields rules={rules} />
        <DialogEnd action="Save" busy={submission.busy} error={submission.error} onClose={onClose} />
      </form>
    </Dialog>
  )
}

const OVERLAPS = [
  { value: '24', label: 'For one day' },
  { value: '168', label: 'For one week' },
  { value: '720', label: 'For 30 days' },
  { value: '0', label: 'Not at all: it stops at once' },
] as const
type Overlap = (typeof OVERLAPS)[number]['value']

interface RotateProps extends Props {
  onRotated: (created: CreatedApiKey) => void
}

export function RotateKey({ view, onClose, onRotated }: RotateProps): JSX.Element {
  const [overlap, setOverlap] = useState<Overlap>('24')
  const submission = useSubmit(async () =>
    onRotated(await post<CreatedApiKey>(`/keys/${view.id}/rotate`, { overlap_hours: Number(overlap) })),
  )
  return (
    <Dialog title={`Replace “${view.name}”?`} onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <p>
          You get a new key with the same name and rules. Put it in place of <code>{view.prefix}…</code> while
          both work.
        </p>
        <Select label="The old key still works" value={overlap} options={OVERLAPS} onValue={setOverlap} />
        <DialogEnd
          action="Create new key"
          busy={submission.busy}
          error={submission.error}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
