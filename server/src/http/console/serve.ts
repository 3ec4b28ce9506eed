// The console: the site's files, its own API, and the documentation. Everything that changes something passes the check of
// the origin first.

import type { FastifyInstance } from 'fastify'
import { serveDocs } from '../docs/serve.ts'
import { serveCreditRequests } from './account/credit-requests.ts'
import { watchCredit } from './account/credit-watch.ts'
import { serveMyKeys } from './account/keys.ts'
import { serveMyAccount } from './account/my-account.ts'
import { servePlayground } from './account/playground.ts'
import { serveMySessions } from './account/sessions.ts'
import { serveTeam } from './account/team.ts'
import { serveUsageReport } from './account/usage-report.ts'
import { serveOperatorAccount } from './operator/account.ts'
import { serveOperatorAccounts } from './operator/accounts.ts'
import { serveAllSessions } from './operator/all-sessions.ts'
import { serveOperatorCreditRequests } from './operator/credit-requests.ts'
import { serveInvitations } from './operator/invite.ts'
import { serveOperators } from './operator/operators.ts'
import { serveOwnAccount } from './operator/own-account.ts'
import { serveOperatorService } from './operator/service.ts'
import { serveOperatorWaitlist } from './operator/waitlist.ts'
import type { ConsoleParts } from './parts.ts'
import { serveMySignIns } from './sign-in/my-sign-ins.ts'
import { serveOneTimeCodes } from './sign-in/one-time-codes.ts'
import { serveOrganisation } from './sign-in/organisation.ts'
import { requireOwnOrigin } from './sign-in/own-origin.ts'
import { servePasskeys } from './sign-in/passkeys.ts'
import { serveSignIn } from './sign-in/sign-in.ts'
import { serveDemo } from './site/demo.ts'
import { serveWaitlist } from './site/join-waitlist.ts'
import { readSamples } from './site/samples.ts'
import { type Site, serveSite } from './site/site.ts'

export function serveConsole(app: FastifyInstance, parts: ConsoleParts, site: Site): void {
  serveSite(app, site)
  serveDocs(app, parts, site.assets)
  watchCredit(app, parts)
  app.register(async api => {
    api.addHook('onRequest', requireOwnOrigin(parts.publicUrl))
    serveWaitlist(api, parts)
    serveSignIn(api, parts)
    serveMyAccount(api, parts)
    serveMyKeys(api, parts)
    serveMySignIns(api, parts)
    serveOneTimeCodes(api, parts)
    servePasskeys(api, parts)
    serveOrganisation(api, parts)
    servePlayground(api, parts)
    serveMySessions(api, parts)
    serveUsageReport(api, parts)
    serveCreditRequests(api, parts)
    serveTeam(api, parts)
    serveOperatorWaitlist(api, parts)
    serveOperatorAccounts(api, parts)
    serveOperatorAccount(api, parts)
    serveOperatorService(api, parts)
    serveOwnAccount(api, parts)
    serveOperators(api, parts)
    serveOperatorCreditRequests(api, parts)
    serveAllSessions(api, parts)
    serveInvitations(api, parts)
    serveDemo(api, parts, readSamples(parts.settings.modelsDir))
  })
}
