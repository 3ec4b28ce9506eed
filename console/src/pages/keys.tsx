// API keys: create (shown once), tell apart, revoke; and code that works when it is pasted.

import type { ApiKeyList, CreatedApiKey } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Page } from '../app/frames.tsx'
import { useLoad } from '../app/use-load.ts'
import { useWho } from '../app/who.tsx'
import { Snippets } from '../ui/code.tsx'
import { CopyLine } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice, Shown } from '../ui/notice.tsx'
import { AccountNotices } from './account-notices.tsx'
import { CreateKey } from './create-key.tsx'
import { KeyTable } from './key-table.tsx'
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
