// The console: the site's files, its own API, and the documentation. Everything that changes something passes the check of
// the origin first.

import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { serveDocs } from '../docs/serve.ts'
import { readAssets } from './assets.ts'
import { serveDemo } from './demo.ts'
import { serveWaitlist } from './join-waitlist.ts'
import { serveMyAccount } from './my-account.ts'
import { serveMyKeys } from './my-keys.ts'
import { serveOperatorAccount } from './operate-account.ts'
import { serveOperatorAccounts } from './operate-accounts.ts'
import { serveOperatorService } from './operate-service.ts'
import { serveOperatorWaitlist } from './operate-waitlist.ts'
import { requireOwnOrigin } from './own-origin.ts'
import type { ConsoleParts } from './parts.ts'
import { servePlayground } from './playground.ts'
import { readSamples } from './samples.ts'
import { serveSignIn } from './sign-in.ts'
import { serveSite } from './site.ts'

const BUILT_CONSOLE = fileURLToPath(new URL('../../../../console/dist', import.meta.url))

export function serveConsole(app: FastifyInstance, parts: ConsoleParts): void {
  const assets = readAssets(BUILT_CONSOLE)
  serveSite(app, parts, assets)
  serveDocs(app, parts, assets)
  app.register(async api => {
    api.addHook('onRequest', requireOwnOrigin(parts.publicUrl))
    serveWaitlist(api, parts)
    serveSignIn(api, parts)
    serveMyAccount(api, parts)
    serveMyKeys(api, parts)
    servePlayground(api, parts)
    serveOperatorWaitlist(api, parts)
    serveOperatorAccounts(api, parts)
    serveOperatorAccount(api, parts)
    serveOperatorService(api, parts)
    serveDemo(api, parts, readSamples(parts.settings.modelsDir))
  })
}
