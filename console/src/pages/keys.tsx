// API keys: create (shown once), tell apart, revoke; and code that works when it is pasted.

import type { ApiKeyList, ApiKeyView, CreatedApiKey } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../app/api.ts'
import { Page } from '../app/frames.tsx'
import { useLoad } from '../app/use-load.ts'
import { useWho } from '../app/who.tsx'
import { Snippets } from '../ui/code.tsx'
import { CopyLine } from '../ui/copy-button.tsx'
import { Confirm, Dialog } from '../ui/dialog.tsx'
import { formatDate, languageOf } from '../ui/format.ts'
import { Empty, Notice, Shown } from '../ui/notice.tsx'
import { When } from '../ui/session-table.tsx'
import { AccountNotices } from './account-notices.tsx'
import { CreateKey } from './create-key.tsx'
import { keySnippets } from './snippets.ts'

export function Keys(): JSX.Element {
  const { me } = useWho()
  const keys = useLoad<ApiKeyList>('/keys')
  const [creating, setCreating] = useState(false)
  const [created, setCreated] = useState<CreatedApiKey>()
  return (
    <Page
      title="API keys"
      actions={
        me.account !== null && (
          <button type="button" class="button" onClick={() => setCreating(true)}>
            Create a key
          </button>
        )
      }
    >
      <AccountNotices />
      {me.account === null ? (
        <Notice>
          <p>You have no account of your own, so you have no keys.</p>
        </Notice>
      ) : (
        <section class="card" aria-label="Your keys">
          <Shown of={keys}>{({ data }) => <KeyTable keys={data} onChange={keys.reload} />}</Shown>
        </section>
      )}
      {me.account !== null && (
        <section class="card" aria-labelledby="use-title">
          <h2 id="use-title">Use it on your server</h2>
          <p class="muted">
            A key belongs on a server, never in a page or an app: those get the session that your server
            creates. Set <code>SAUTI_API_KEY</code> to your key first.
          </p>
          <Snippets snippets={keySnippets(me.base_url)} />
        </section>
      )}
      {creating && (
        <CreateKey
          onClose={() => setCreating(false)}
          onCreated={key => {
            setCreating(false)
            setCreated(key)
            keys.reload()
          }}
        />
      )}
      {created !== undefined && <ShownOnce created={created} onClose={() => setCreated(undefined)} />}
    </Page>
  )
}

function ShownOnce({ created, onClose }: { created: CreatedApiKey; onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Copy your key now" onClose={onClose}>
      <p>
        This is the only time that it is shown. We keep a fingerprint of it, not the key: nobody can show it
        to you again.
      </p>
      <CopyLine text={created.api_key} what="the key" />
      <div class="row end">
        <button type="button" class="button" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </Dialog>
  )
}

function KeyTable({ keys, onChange }: { keys: readonly ApiKeyView[]; onChange: () => void }): JSX.Element {
  const [revoking, setRevoking] = useState<ApiKeyView>()
  if (keys.length === 0) {
    return (
      <Empty title="No keys yet">
        Create one for every server or person, so that each can be revoked alone.
      </Empty>
    )
  }
  return (
    <>
      <table class="table cards">
        <thead>
          <tr>
            <th>Name</th>
            <th>Begins with</th>
            <th>Models</th>
            <th>Created</th>
            <th>Last used</th>
            <th>Expires</th>
            <th>
              <span class="visually-hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map(key => (
            <KeyRow key={key.id} view={key} onRevoke={() => setRevoking(key)} />
          ))}
        </tbody>
      </table>
      {revoking !== undefined && (
        <Confirm
          title={`Revoke “${revoking.name}”?`}
          action="Revoke the key"
          danger
          run={async () => {
            await call('DELETE', `/keys/${revoking.id}`)
            onChange()
          }}
          onClose={() => setRevoking(undefined)}
        >
          <p>
            Every request with <code>{revoking.prefix}…</code> is refused from now on, and its open streams
            end within seconds. This cannot be undone.
          </p>
        </Confirm>
      )}
    </>
  )
}

function KeyRow({ view, onRevoke }: { view: ApiKeyView; onRevoke: () => void }): JSX.Element {
  const expired = view.expires_at !== null && Date.parse(view.expires_at) <= Date.now()
  return (
    <tr>
      <td class="head">{view.name}</td>
      <td data-label="Begins with">
        <span class="mono">{view.prefix}…</span>
      </td>
      <td data-label="Models">{view.models === null ? 'all' : view.models.map(languageOf).join(', ')}</td>
      <td data-label="Created">{formatDate(view.created_at)}</td>
      <td data-label="Last used">{view.last_used_at === null ? 'never' : <When at={view.last_used_at} />}</td>
      <td data-label="Expires">{view.expires_at === null ? 'never' : formatDate(view.expires_at)}</td>
      <td class="act right">
        {view.revoked_at !== null ? (
          <span class="badge bad">revoked</span>
        ) : expired ? (
          <span class="badge">expired</span>
        ) : (
          <button
            type="button"
            class="button quiet small"
            onClick={onRevoke}
            aria-label={`Revoke ${view.name}`}
          >
            Revoke
          </button>
        )}
      </td>
    </tr>
  )
}
