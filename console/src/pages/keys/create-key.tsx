// The form for a new key: its name, the models that it may use, its rules, and when it expires.

import type { CreateApiKeyRequest, CreatedApiKey } from '@sauti/protocol/console'
import { MODELS, type ModelId } from '@sauti/protocol/models'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { Dialog, DialogEnd } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { type KeyRules, KeyRulesFields, useKeyRules } from './key-fields.tsx'

const EXPIRIES = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In one year' },
] as const
type Expiry = (typeof EXPIRIES)[number]['value']

interface Props {
  onClose: () => void
  onCreated: (key: CreatedApiKey) => void
}

export function CreateKey({ onClose, onCreated }: Props): JSX.Element {
  const [name, setName] = useState('')
  const [models, setModels] = useState<readonly ModelId[]>(MODELS.map(model => model.id))
  const [expiry, setExpiry] = useState<Expiry>('never')
  const rules = useKeyRules()
  const submission = useSubmit(async () => {
    if (models.length === 0 || rules.limitSeconds === undefined) return
    const order = keyRequest(name, models, expiry, rules)
    onCreated(await post<CreatedApiKey>('/keys', order))
  })
  return (
    <Dialog title="Create an API key" onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <Field
          label="Name"
          hint="Where will you use it? For example: clinic-server."
          name="key-name"
          required
          maxLength={80}
          autocomplete="off"
          onText={setName}
        />
        <ModelScope chosen={models} onChange={setModels} />
        <KeyRulesFields rules={rules} />
        <Select label="Expires" value={expiry} options={EXPIRIES} onValue={setExpiry} />
        <DialogEnd action="Create key" busy={submission.busy} error={submission.error} onClose={onClose} />
      </form>
    </Dialog>
  )
}

interface ModelScopeProps {
  chosen: readonly ModelId[]
  onChange: (chosen: readonly ModelId[]) => void
}

function ModelScope({ chosen, onChange }: ModelScopeProps): JSX.Element {
  const toggle = (id: ModelId) =>
    onChange(chosen.includes(id) ? chosen.filter(other => other !== id) : [...chosen, id])
  return (
    <fieldset class="field">
      <legend>Models</legend>
      {MODELS.map(model => (
        <label key={model.id} class="choice">
          <input type="checkbox" checked={chosen.includes(model.id)} onChange={() => toggle(model.id)} />
          {model.language} <span class="mono muted">{model.id}</span>
        </label>
      ))}
      {chosen.length === 0 && <p class="wrong">Choose at least one model.</p>}
    </fieldset>
  )
}

/** All models means no restriction, so that the key also works with models that are added later. */
function keyRequest(
  name: string,
  models: readonly ModelId[],
  expiry: Expiry,
  { limitSeconds, addresses }: KeyRules,
): CreateApiKeyRequest {
  return {
    name: name.trim(),
    ...(models.length < MODELS.length && { models: [...models] }),
    ...(expiry !== 'never' && { expires_in_days: Number(expiry) }),
    ...(typeof limitSeconds === 'number' && { monthly_limit_seconds: limitSeconds }),
    ...(addresses !== null && { allowed_addresses: [...addresses] }),
  }
}
