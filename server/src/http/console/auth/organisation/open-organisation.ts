// The provider of an organisation, from the settings, and which of its people may sign in.

import { admitColleague } from '../../../../accounts/admit-colleague.ts'
import type { Config } from '../../../../settings/config.ts'
import { loadOnce } from '../../../load-once.ts'
import type { HttpParts } from '../../../parts.ts'
import type { CookieSecrets } from '../cookie-secrets.ts'
import type { Organisation, OrganisationParts } from './organisation.ts'

export type OrganisationConfig = Pick<
  Config,
  'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcDomains'
>

/** Undefined where none is set. The library behind it is loaded when somebody first signs in with it: see ../open-auth.ts. */
export function openOrganisation(
  parts: HttpParts,
  config: OrganisationConfig,
  cookieSecrets: CookieSecrets,
): Organisation | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined
  const domains = new Set(config.oidcDomains)
  const organisationParts: OrganisationParts = {
    ...parts,
    cookieSecrets,
    organisation: { issuer, clientId, clientSecret },
    async admit(email, name) {
      if (!domains.has(email.slice(email.lastIndexOf('@') + 1))) return
      const { newId, clock, db } = parts
      const ids = { userId: newId(), accountId: newId() }
      await db.transaction(tx => admitColleague(tx, { ...ids, email, name, now: clock() }))
    },
  }
  const organisation = loadOnce(async () => {
    const { createOrganisation } = await import('./organisation.ts')
    return createOrganisation(organisationParts)
  })
  return {
    begin: async () => (await organisation()).begin(),
    finish: async (...given) => (await organisation()).finish(...given),
  }
}
