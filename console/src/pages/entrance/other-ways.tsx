// Ways to sign in besides the password, as far as this server and this browser have them.

import type { Features, Me, OrganisationDeparture } from '@sauti/protocol/console'
import type { ErrorCode } from '@sauti/protocol/errors'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { ApiError } from '../../app/api-error.ts'
import { useLoad } from '../../app/use-load.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { t } from '../../texts/texts.ts'
import { Problem } from '../../ui/notice.tsx'

export function OtherWays({ onDone }: { onDone: (me: Me) => void }): JSX.Element | null {
  const { data: features } = useLoad<Features>('/features')
  const isAtHome = features?.passkeys === true && features.public_url === location.origin
  const hasPasskeys = isAtHome && 'PublicKeyCredential' in window
  const organisation = features?.organisation ?? null
  if (!hasPasskeys && organisation === null) return null
  return (
    <div class="card stack">
      {organisation !== null && <WithOrganisation name={organisation} />}
      {hasPasskeys && <WithPasskey onDone={onDone} />}
    </div>
  )
}

function WithPasskey({ onDone }: { onDone: (me: Me) => void }): JSX.Element {
  const passkey = useSubmit(async () => {
    const { signInWithPasskey } = await import('../../app/passkey.ts')
    onDone(await signInWithPasskey())
  })
  return (
    <div>
      {passkey.error !== undefined && <Problem error={passkey.error} />}
      <button type="button" class="button quiet" aria-disabled={passkey.busy} onClick={passkey.run}>
        {t('sign_in.passkey')}
      </button>
    </div>
  )
}

function WithOrganisation({ name }: { name: string }): JSX.Element {
  const returned = useReturnedProblem()
  const departure = useSubmit(async () => {
    const { url } = await post<OrganisationDeparture>('/sign-in/organisation')
    location.assign(url)
  })
  const error = departure.error ?? returned
  return (
    <div>
      {error !== undefined && <Problem error={error} />}
      <button type="button" class="button quiet" aria-disabled={departure.busy} onClick={departure.run}>
        {t('sign_in.organisation', { name })}
      </button>
    </div>
  )
}

/** What was wrong when the organisation sent the browser back; the server names it in the address. */
function useReturnedProblem(): ApiError | undefined {
  const [problem, setProblem] = useState<ApiError>()
  useEffect(() => {
    const code = new URLSearchParams(location.search).get('problem')
    if (code === null) return
    // Only then is the table of errors needed.
    void import('@sauti/protocol/errors').then(({ ERRORS }) => {
      if (Object.hasOwn(ERRORS, code)) setProblem(new ApiError(0, code, ERRORS[code as ErrorCode].message))
    })
  }, [])
  return problem
}
