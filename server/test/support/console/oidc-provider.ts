// A real OpenID Connect provider on this machine. Whoever comes is signed in as `person` without being asked. Faults can be put into
// its answers.

import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export interface Person {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
}

export interface OidcProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  person: Person
  /** Claims that are written over those of every ID token, which is then signed again with the provider's own key. */
  forgedClaims: Readonly<Record<string, unknown>> | undefined
  /** While it is set, every answer fails. */
  isDown: boolean
  /** What the discovery document says instead of the issuer. */
  otherIssuer: string | undefined
  /** A browser that follows the provider's redirects, up to the address that leads back to the service. */
  visit(url: string): Promise<URL>
  close(): Promise<void>
}

const CLIENT_ID = 'sauti'
const CLIENT_SECRET = 'a secret that only provider and service know'

export async function startOidcProvider(redirectUri: string): Promise<OidcProvider> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const key = { ...signingKey(), alg: 'RS256', use: 'sig', kid: 'only' }
  const state: OidcProvider = {
    issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    person: { sub: 'nobody' },
    forgedClaims: undefined,
    isDown: false,
    otherIssuer: undefined,
    visit: url => followRedirects(url, issuer),
    close: () => closeServer(server),
  }
  const provider = createProvider(issuer, redirectUri, key, state)
  serveLogin(server, provider, state)
  return state
}

function signingKey() {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
}

function createProvider(issuer: string, redirectUri: string, key: object, state: OidcProvider): Provider {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [key as never] },
    cookies: { keys: ['only for tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => '/login' },
    findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ ...state.person, sub }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client!.clientId,
        accountId: oidc.session!.accountId!,
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  provider.use(async (context, next) => {
    await next()
    const body = context.body as Record<string, unknown> | undefined
    if (context.path === '/token' && state.forgedClaims && body)
      body.id_token = forge(String(body.id_token), state.forgedClaims, key)
    if (context.path.startsWith('/.well-known') && state.otherIssuer !== undefined && body)
      body.issuer = state.otherIssuer
  })
  return provider
}

function serveLogin(server: Server, provider: Provider, state: OidcProvider): void {
  const handle = provider.callback()
  server.on('request', async (request, response) => {
    if (state.isDown) return void response.writeHead(503).end()
    if (!request.url?.startsWith('/login')) return handle(request, response)
    const result =
      state.person.sub === 'denied' ? { error: 'access_denied' } : { login: { accountId: state.person.sub } }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
  })
}

function forge(token: string, claims: object, key: object): string {
  const [header, payload] = token.split('.') as [string, string]
  const before = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const body = `${header}.${Buffer.from(JSON.stringify({ ...before, ...claims })).toString('base64url')}`
  const privateKey = createPrivateKey({ key: key as never, format: 'jwk' })
  return `${body}.${sign('sha256', Buffer.from(body), privateKey).toString('base64url')}`
}

async function followRedirects(first: string, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = new URL(first)
  while (url.href.startsWith(issuer)) {
    const cookie = [...cookies].map(pair => pair.join('=')).join('; ')
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]!.split('=', 2)
      cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`)
    url = new URL(location, url)
  }
  return url
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise(resolve => server.close(() => resolve()))
}
