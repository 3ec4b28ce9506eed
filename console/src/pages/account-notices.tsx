// What every page of an account should say first: the account is switched off.

import type { JSX } from 'preact'
import { useWho } from '../app/who.tsx'
import { Notice } from '../ui/notice.tsx'

export function AccountNotices(): JSX.Element | null {
  const { me } = useWho()
  if (me.account?.active !== false) return null
  return (
    <Notice tone="warn">
      <p>
        <strong>This account is not active.</strong> Its keys are refused and it cannot open sessions. Nothing
        is lost: the operator of this service can activate it again.
      </p>
    </Notice>
  )
}
