// The keys of an account: valid ones first, revoked and expired ones behind a disclosure.

import type { ApiKeyView, CreatedApiKey } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../app/api.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Few } from '../../ui/few.tsx'
import { formatDate, formatDuration, languageOf } from '../../ui/format.ts'
import { KeyBadge, stateOf } from '../../ui/key-state.tsx'
import { Empty } from '../../ui/notice.tsx'
import { When } from '../../ui/session-table.tsx'
import { Table } from '../../ui/table.tsx'
import { EditKey, RotateKey } from './change-key.tsx'

interface Props {
  keys: readonly ApiKeyView[]
  onChange: () => void
  /** A new key took the place of one; it is shown once. */
  onRotated: (created: CreatedApiKey) => void
}

type KeyAction = 'edit' | 'rotate' | 'revoke'

export function KeyTable({ keys, onChange, onRotated }: Props): JSX.Element {
  const [chosen, setChosen] = useState<{ view: ApiKeyView; action: KeyAction }>()
  const act = (view: ApiKeyView, action: KeyAction) => setChosen({ view, action })
  const close = () => setChosen(undefined)
  const valid = keys.filter(key => stateOf(key) === 'valid')
  const ended = keys.filter(key => stateOf(key) !== 'valid')
  return (
    <>
      {valid.length === 0 ? (
        <Empty title={ended.length === 0 ? 'No keys yet' : 'No valid keys'}>
          Create one key per server or person, so that you can revoke each one separately.
        </Empty>
      ) : (
        <Few rows={valid} what="keys">
          {rows => <Rows keys={rows} onAct={act} />}
        </Few>
      )}
      {ended.length > 0 && (
        <details class="more">
          <summary>
            {ended.length} revoked or expired {ended.length === 1 ? 'key' : 'keys'}
          </summary>
          <Rows keys={ended} onAct={act} />
        </details>
      )}
      {chosen?.action === 'edit' && <EditKey view={chosen.view} onChanged={onChange} onClose={close} />}
      {chosen?.action === 'rotate' && (
        <RotateKey
          view={chosen.view}
          onClose={close}
          onRotated={created => {
            close()
            onRotated(created)
          }}
        />
      )}
      {chosen?.action === 'revoke' && <Revoke view={chosen.view} onRevoked={onChange} onClose={close} />}
    </>
  )
}

interface RowsProps {
  keys: readonly ApiKeyView[]
  onAct: (key: ApiKeyView, action: KeyAction) => void
}

function Rows({ keys, onAct }: RowsProps): JSX.Element {
  return (
    <Table
      heads={[
        'Name',
        'Prefix',
        'Models',
        'Monthly limit',
        'Created',
        'Last used',
        'Expires',
        { text: 'State or action', unseen: true },
      ]}
    >
      {keys.map(key => (
        <Row key={key.id} view={key} onAct={action => onAct(key, action)} />
      ))}
    </Table>
  )
}

interface RowProps {
  view: ApiKeyView
  onAct: (action: KeyAction) => void
}

function Row({ view, onAct }: RowProps): JSX.Element {
  return (
    <tr>
      <td class="head">
        {view.name || 'Unnamed'}
        {view.allowed_addresses !== null && (
          <div class="muted small">Only from {view.allowed_addresses.join(', ')}</div>
        )}
        {view.replaced_by !== null && <div class="muted small">Replaced by a newer key</div>}
      </td>
      <td data-label="Prefix" class="wide">
        <span class="mono">{view.prefix}…</span>
      </td>
      <td data-label="Models">{view.models === null ? 'All' : view.models.map(languageOf).join(', ')}</td>
      <td data-label="Monthly limit" class="number">
        {view.monthly_limit_seconds === null ? 'None' : formatDuration(view.monthly_limit_seconds * 1000)}
      </td>
      <td data-label="Created" class="number">
        {formatDate(view.created_at)}
      </td>
      <td data-label="Last used" class="number">
        {view.last_used_at === null ? 'Never' : <When at={view.last_used_at} />}
        {view.last_used_from[0] !== undefined && (
          <div class="muted small">from {view.last_used_from[0].address}</div>
        )}
      </td>
      <td data-label="Expires" class="number">
        {view.expires_at === null ? 'Never' : formatDate(view.expires_at)}
      </td>
      <td class="act right">
        {stateOf(view) === 'valid' ? <RowActions view={view} onAct={onAct} /> : <KeyBadge view={view} />}
      </td>
    </tr>
  )
}

function RowActions({ view, onAct }: RowProps): JSX.Element {
  const actions = [
    ['edit', 'Edit'],
    // A key is replaced once; then its successor is.
    ...(view.replaced_by === null ? ([['rotate', 'Replace']] as const) : []),
    ['revoke', 'Revoke'],
  ] as const
  return (
    <div class="row end">
      {actions.map(([action, label]) => (
        <button
          key={action}
          type="button"
          class="button quiet small"
          aria-label={`${label} ${view.name}`}
          onClick={() => onAct(action)}
        >
          {label}
        </button>
      ))}
    </div>
  )
}

interface RevokeProps {
  view: ApiKeyView
  onRevoked: () => void
  onClose: () => void
}

function Revoke({ view, onRevoked, onClose }: RevokeProps): JSX.Element {
  const run = async () => {
    await call('DELETE', `/keys/${view.id}`)
    onRevoked()
  }
  return (
    <Confirm title={`Revoke “${view.name}”?`} action="Revoke key" danger run={run} onClose={onClose}>
      <p>
        Requests with <code>{view.prefix}…</code> will be refused immediately, and streams that it opened end
        within seconds. This cannot be undone.
      </p>
    </Confirm>
  )
}
