// The keys of an account: those that work first, those that ended folded away.

import type { ApiKeyView } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../app/api.ts'
import { Confirm } from '../ui/dialog.tsx'
import { Few } from '../ui/few.tsx'
import { formatDate, languageOf } from '../ui/format.ts'
import { KeyBadge, stateOf } from '../ui/key-state.tsx'
import { Empty } from '../ui/notice.tsx'
import { When } from '../ui/session-table.tsx'
import { Table } from '../ui/table.tsx'

interface Props {
  keys: readonly ApiKeyView[]
  onChange: () => void
}

export function KeyTable({ keys, onChange }: Props): JSX.Element {
  const [revoking, setRevoking] = useState<ApiKeyView>()
  const valid = keys.filter(key => stateOf(key) === 'valid')
  const ended = keys.filter(key => stateOf(key) !== 'valid')
  return (
    <>
      {valid.length === 0 ? (
        <Empty title={ended.length === 0 ? 'No keys yet' : 'No key is valid'}>
          Create one for every server or person, so that each can be revoked alone.
        </Empty>
      ) : (
        <Few rows={valid} what="keys">
          {rows => <Rows keys={rows} onRevoke={setRevoking} />}
        </Few>
      )}
      {ended.length > 0 && (
        <details class="more">
          <summary>
            {ended.length} revoked or expired {ended.length === 1 ? 'key' : 'keys'}
          </summary>
          <Rows keys={ended} onRevoke={setRevoking} />
        </details>
      )}
      {revoking !== undefined && (
        <Revoke view={revoking} onRevoked={onChange} onClose={() => setRevoking(undefined)} />
      )}
    </>
  )
}

interface RowsProps {
  keys: readonly ApiKeyView[]
  onRevoke: (key: ApiKeyView) => void
}

function Rows({ keys, onRevoke }: RowsProps): JSX.Element {
  return (
    <Table
      heads={[
        'Name',
        'Begins with',
        'Models',
        'Created',
        'Last used',
        'Expires',
        { text: 'State or action', unseen: true },
      ]}
    >
      {keys.map(key => (
        <Row key={key.id} view={key} onRevoke={() => onRevoke(key)} />
      ))}
    </Table>
  )
}

function Row({ view, onRevoke }: { view: ApiKeyView; onRevoke: () => void }): JSX.Element {
  return (
    <tr>
      <td class="head">{view.name || 'without a name'}</td>
      <td data-label="Begins with">
        <span class="mono">{view.prefix}…</span>
      </td>
      <td data-label="Models">{view.models === null ? 'all' : view.models.map(languageOf).join(', ')}</td>
      <td data-label="Created" class="number">
        {formatDate(view.created_at)}
      </td>
      <td data-label="Last used" class="number">
        {view.last_used_at === null ? 'never' : <When at={view.last_used_at} />}
      </td>
      <td data-label="Expires" class="number">
        {view.expires_at === null ? 'never' : formatDate(view.expires_at)}
      </td>
      <td class="act right">
        {stateOf(view) === 'valid' ? (
          <button
            type="button"
            class="button quiet small"
            onClick={onRevoke}
            aria-label={`Revoke ${view.name}`}
          >
            Revoke
          </button>
        ) : (
          <KeyBadge view={view} />
        )}
      </td>
    </tr>
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
    <Confirm title={`Revoke “${view.name}”?`} action="Revoke the key" danger run={run} onClose={onClose}>
      <p>
        Every request with <code>{view.prefix}…</code> is refused from now on, and its open streams end within
        seconds. This cannot be undone.
      </p>
    </Confirm>
  )
}
