// What every page of an account says first: that the account is not active.

import type { JSX } from 'preact'
import { useWho } from '../../app/who.tsx'
import { Notice } from '../../ui/notice.tsx'

export function AccountNotices(): JSX.Element | null {
  const { me } = useWho()
  if (me.account?.active !== false) return null
  return (
    <Notice tone="warn">
      <p>
        <strong>This account is not active.</strong> Its API keys do not work and it cannot create sessions.
        Your keys and credit are kept. Contact the operator of this service to activate it again.
      </p>
    </Notice>
  )
}
