// API keys: create (shown once), tell apart, revoke; and code that works as pasted.

import type { ApiKeyList, CreatedApiKey, Me } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Page } from '../../app/frames.tsx'
import { useLoad } from '../../app/use-load.ts'
import { useWho } from '../../app/who.tsx'
import { t } from '../../texts/texts.ts'
import { Snippets } from '../../ui/code.tsx'
import { CopyLine } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Shown } from '../../ui/notice.tsx'
import { AccountNotices } from '../account/account-notices.tsx'
import { NoAccount } from '../account/no-account.tsx'
import { CreateKey } from './create-key.tsx'
import { KeyTable } from './key-table.tsx'
import { keySnippets } from './snippets.ts'

export function Keys(): JSX.Element {
  const { me } = useWho()
  return me.account === null ? <NoAccount title="API keys" /> : <AccountKeys me={me} />
}

function AccountKeys({ me }: { me: Me }): JSX.Element {
  const keys = useLoad<ApiKeyList>('/keys')
  const [creating, setCreating] = useState(false)
  const [created, setCreated] = useState<CreatedApiKey>()
  const show = (key: CreatedApiKey) => {
    setCreating(false)
    setCreated(key)
    keys.reload()
  }
  return (
    <Page
      title="API keys"
      actions={
        <button type="button" class="button" onClick={() => setCreating(true)}>
          Create a key
        </button>
      }
    >
      <AccountNotices />
      <section class="card" aria-label="Your keys">
        <Shown of={keys}>
          {({ data }) => <KeyTable keys={data} onChange={keys.reload} onRotated={show} />}
        </Shown>
      </section>
      <section class="card" aria-labelledby="use-title">
        <h2 id="use-title">Your first transcript</h2>
        <p class="muted">
          Keep keys on your server, never in a web page or an app. Pages and apps get a session that your
          server creates: see <a href="/docs/guides/browser-relay">live captions</a>.
        </p>
        {me.local_authority && (
          <p class="muted">
            This server made its own certificate. Get <code>.sauti/tls/ca.pem</code> from its operator, and
            set <code>SAUTI_CA</code> to the path of that file first.
          </p>
        )}
        <Snippets snippets={keySnippets(me)} />
      </section>
      {creating && <CreateKey onClose={() => setCreating(false)} onCreated={show} />}
      {created !== undefined && <ShownOnce created={created} onClose={() => setCreated(undefined)} />}
    </Page>
  )
}

function ShownOnce({ created, onClose }: { created: CreatedApiKey; onClose: () => void }): JSX.Element {
  const [copied, setCopied] = useState(false)
  return (
    <Dialog title="Copy your key now" onClose={onClose} keepOpen={!copied}>
      <p>
        This is the only time the key is shown. We store a hash of it, not the key itself, so nobody can show
        it to you again.
      </p>
      <CopyLine text={created.api_key} label={t('common.copy_key')} onCopied={() => setCopied(true)} />
      <div class="row end">
        <button type="button" class="button" onClick={onClose}>
          {copied ? 'Done' : 'I have saved the key'}
        </button>
      </div>
    </Dialog>
  )
}
