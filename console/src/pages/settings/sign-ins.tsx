// Where one is signed in, with a way to end it.

import type { SignInList, SignInView } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { call, post } from '../../app/api.ts'
import { useLoad } from '../../app/use-load.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { formatDateTime } from '../../ui/format.ts'
import { Problem } from '../../ui/notice.tsx'

export function SignIns(): JSX.Element {
  const list = useLoad<SignInList>('/sign-ins')
  const everywhere = useSubmit(async () => {
    await post('/sign-ins/end-all')
    location.assign('/signin')
  })
  const end = async (id: string) => {
    await call('DELETE', `/sign-ins/${id}`)
    list.reload()
  }
  return (
    <section class="card" aria-labelledby="sign-ins-title">
      <h2 id="sign-ins-title">Signed in</h2>
      {list.error !== undefined && <Problem error={list.error} />}
      <ul class="plain">
        {list.data?.data.map(signIn => (
          <li key={signIn.id} class="row between">
            <Place {...signIn} />
            {!signIn.current && (
              <button type="button" class="button quiet small" onClick={() => void end(signIn.id)}>
                Sign out
              </button>
            )}
          </li>
        ))}
      </ul>
      {everywhere.error !== undefined && <Problem error={everywhere.error} />}
      <button type="button" class="button quiet" aria-disabled={everywhere.busy} onClick={everywhere.run}>
        Sign out everywhere
      </button>
    </section>
  )
}

function Place({ browser, address, created_at, current }: SignInView): JSX.Element {
  return (
    <span>
      {browser ?? 'Unknown browser'} {current && <span class="badge good">This browser</span>}
      <br />
      <span class="muted small">
        {address ?? 'unknown address'}, since {formatDateTime(created_at)}
      </span>
    </span>
  )
}
