// The HTTP server: API, console, files, and the stream on the same port. It listens when everything behind it is ready.

import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import type { Database } from '../db/port.ts'
import type { CreditParts } from '../files/credit.ts'
import { FileJobs } from '../files/jobs.ts'
import { buildApp } from '../http/app.ts'
import { closerOf } from '../http/closing.ts'
import { openCommonPasswords } from '../http/console/auth/common-passwords.ts'
import { openAuth } from '../http/console/auth/open-auth.ts'
import { openOrganisation } from '../http/console/auth/organisation/open-organisation.ts'
import { createMailer } from '../http/console/mail.ts'
import { serveConsole } from '../http/console/serve.ts'
import { createDevices } from '../http/console/sign-in/device.ts'
import { notFoundPageOf, openSite, type Site } from '../http/console/site/site.ts'
import { serveListen } from '../http/listen/route.ts'
import { serveTranscriptions } from '../http/transcriptions/route.ts'
import { INSTALLATION } from '../installation.ts'
import { createAddressMatcher } from '../network/address-list.ts'
import { createAddressReader, createClientReader } from '../network/client-address.ts'
import { guardConnections } from '../network/connection-guard.ts'
import type { Recogniser } from '../recogniser/port.ts'
import { derivePublicUrl } from '../settings/config.ts'
import type { StreamServer } from '../stream/server.ts'
import { watchCertificate } from '../tls/certificate-watch.ts'
import type { Tls } from '../tls/tls.ts'
import type { Basis } from './basis.ts'
import type { StartedParts } from './started-parts.ts'

interface ListeningParts {
  readonly database: Database
  readonly recogniser: Recogniser
  /** Resolves when the recogniser can be used. */
  readonly warm: Promise<void>
  readonly tls: Tls | undefined
  readonly streams: StreamServer
}

type App = ReturnType<typeof buildApp>

/** What all routes are built from. */
type RouteParts = ReturnType<typeof collectRouteParts>

export async function listen(
  basis: Basis,
  parts: ListeningParts,
  started: StartedParts,
): Promise<{ port: number; publicUrl: string }> {
  const { config } = basis
  let publicUrl = config.publicUrl ?? ''
  const routeParts = collectRouteParts(basis, parts, () => publicUrl)
  const site = openSite(routeParts)
  const app = buildApp(routeParts, notFoundPageOf(site))
  await addConsole(app, routeParts, site)
  protectConnections(app, basis, parts.tls, started)
  const files = addFiles(app, routeParts, parts.streams)
  parts.streams.attach(app.server)
  started.add(closerOf(app))
  started.add(() => files.stop())
  // Routes and schemas are compiled while the engines load. Nobody is let in before both are done.
  await app.ready()
  await parts.warm
  await app.listen({ host: config.host, port: config.port })
  const { port } = app.server.address() as AddressInfo
  publicUrl ||= derivePublicUrl(config.host, port)!
  return { port, publicUrl }
}

function collectRouteParts(
  { config, ...basis }: Basis,
  { database, recogniser, tls }: ListeningParts,
  publicUrl: () => string,
) {
  return {
    ...basis,
    db: database,
    recogniser,
    settings: config,
    publicUrl,
    clientOf: createClientReader(config.trustedProxies),
    addressOf: createAddressReader(config.trustedProxies),
    tls,
    newId: randomUUID,
  }
}

async function addConsole(app: App, parts: RouteParts, site: Site): Promise<void> {
  const { settings, cookieSecrets } = parts
  const auth = openAuth(parts)
  const [, previousSecret] = cookieSecrets
  if (previousSecret !== undefined) await auth.renewEncryption()
  const consoleParts = {
    ...parts,
    auth,
    organisation: openOrganisation(parts, settings, cookieSecrets),
    devices: createDevices(cookieSecrets),
    checkNewPassword: openCommonPasswords(INSTALLATION.commonPasswords),
    mailer:
      settings.smtpUrl && settings.mailFrom ? createMailer(settings.smtpUrl, settings.mailFrom) : undefined,
  }
  serveConsole(app, consoleParts, site)
}

/** A renewed certificate is used without a restart, and no client holds more connections than its share. */
function protectConnections(
  app: App,
  { config, log }: Basis,
  tls: Tls | undefined,
  started: StartedParts,
): void {
  if (tls) {
    const server = app.server as unknown as TlsServer
    const watch = watchCertificate({ config, intervalMs: config.tlsReloadMs, inUse: tls, server, log })
    started.add(watch.stop)
  }
  const guard = guardConnections(app.server, {
    limits: config,
    isTrustedProxy: createAddressMatcher(config.trustedProxies ?? []),
    monotonicMs: () => performance.now(),
  })
  started.add(() => guard.stop())
}

function addFiles(app: App, parts: RouteParts, streams: StreamServer): FileJobs {
  const settle: CreditParts['settle'] = (...end) => streams.settle(...end)
  const files = new FileJobs({ ...parts, settle })
  const fileParts = { ...parts, files, fileSettings: parts.settings }
  serveTranscriptions(app, fileParts)
  serveListen(app, fileParts)
  return files
}
