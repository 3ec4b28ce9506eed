// Signing in with an organisation's OpenID Connect provider, through Better Auth's plugin. The verified e-mail address decides who
// somebody is. Nothing of the provider is kept: no tokens, no names.

import { createHash } from 'node:crypto'
import type { ErrorCode } from '@sauti/protocol/errors'
import { betterAuth } from 'better-auth/minimal'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import type { FastifyBaseLogger } from 'fastify'
import { loadOnce } from '../../../load-once.ts'
import { type AuthParts, sharedOptions } from '../library.ts'
import type { SignIn } from '../outcome.ts'
import { ORGANISATION_CALLBACK } from '../own-addresses.ts'
import {
  type Claims,
  discover,
  discoveryUrl,
  fetchClaims,
  PROVIDER_TIMEOUT_MS,
  unavailable,
} from './discovery.ts'

export interface OrganisationSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface OrganisationParts extends AuthParts {
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  readonly organisation: OrganisationSettings
  /** Called for every verified address, before it is looked up: the place to let somebody in who is not known yet. */
  readonly admit: (email: string, name: string) => Promise<void>
}

export interface Departure {
  /** Of the provider. */
  readonly url: string
  readonly cookies: readonly string[]
}

export type Arrival = { readonly signIn: SignIn } | { readonly problem: ErrorCode }

export interface Organisation {
  /** Throws organisation_unavailable. */
  begin(): Promise<Departure>
  /** What the provider's redirect brought. Throws organisation_unavailable. */
  finish(cookie: string, query: Record<string, string>): Promise<Arrival>
}

/** Where Better Auth would send the browser; we look only at which of them it chose. */
const ENTERED = '/entered'
const FAILED = '/failed'

export function createOrganisation(parts: OrganisationParts): Organisation {
  const id = providerId(parts.organisation.issuer)
  // A provider may be down when somebody first signs in, and come back later.
  const open = loadOnce(async () => {
    try {
      return await openProvider(parts, id)
    } catch (error) {
      parts.log.warn({ err: error }, 'the OpenID Connect provider cannot be used')
      throw error
    }
  })
  return {
    async begin() {
      const { api } = await open()
      const { response, headers } = await api.signInSocial({
        body: { provider: id, callbackURL: ENTERED, errorCallbackURL: FAILED, disableRedirect: true },
        headers: new Headers(),
        returnHeaders: true,
      })
      return { url: response.url!, cookies: headers.getSetCookie() }
    },
    async finish(cookie, query) {
      const { api } = await open()
      const answer = await inTime(
        api.callbackOAuth({
          method: 'GET',
          params: { id },
          query,
          headers: new Headers({ cookie }),
          asResponse: true,
        }),
      )
      const location = new URL(answer.headers.get('location') ?? FAILED, 'https://console.invalid')
      if (location.pathname !== ENTERED) return { problem: problemOf(location.searchParams.get('error')) }
      const cookies = answer.headers.getSetCookie()
      const session = await api.getSession({ headers: new Headers({ cookie: toCookieHeader(cookies) }) })
      return session ? { signIn: { userId: session.user.id, cookies } } : { problem: 'organisation_refused' }
    },
  }
}

/** Another issuer is another provider: its people must not get what the people of the former provider had. */
function providerId(issuer: string): string {
  return `oidc-${createHash('sha256').update(issuer).digest('hex').slice(0, 16)}`
}

async function openProvider(parts: OrganisationParts, id: string) {
  const { issuer } = parts.organisation
  const { userinfo_endpoint: endpoint } = await discover(issuer)
  const library = configure(parts, id, endpoint)
  const { socialProviders } = await inTime(library.$context)
  const isReady = socialProviders.some(provider => provider.id === id && provider.issuer === issuer)
  if (!isReady)
    throw unavailable(new Error('the discovery document lacks what is needed to verify ID tokens'))
  return library
}

function configure(parts: OrganisationParts, id: string, userInfoEndpoint: unknown) {
  const shared = sharedOptions(parts)
  const { issuer, clientId, clientSecret } = parts.organisation
  return betterAuth({
    ...shared,
    onAPIError: { errorURL: FAILED },
    account: {
      ...shared.account,
      updateAccountOnSignIn: false,
      // Operators have let the person in under this address; the provider says that it is theirs.
      accountLinking: { enabled: true, requireLocalEmailVerified: false },
    },
    databaseHooks: {
      ...shared.databaseHooks,
      account: { create: { before: async account => ({ data: withoutTokens(account) }) } },
    },
    plugins: [
      genericOAuth({
        config: [
          {
            providerId: id,
            discoveryUrl: discoveryUrl(issuer),
            requireIdTokenVerification: true,
            clientId,
            clientSecret,
            scopes: ['openid', 'email', 'profile'],
            pkce: true,
            redirectURI: `${parts.publicUrl()}${ORGANISATION_CALLBACK}`,
            disableSignUp: true,
            // Without an address the sign-in ends a step later, with an error that says so.
            accountSubject: ({ profile }) => String(profile.email ?? 'nobody'),
            getUserInfo: async tokens => {
              const claims = await readClaims(tokens, userInfoEndpoint)
              const email = verifiedEmail(claims)
              if (email !== undefined) await parts.admit(email, nameOf(claims, email))
              return { id: String(claims?.sub), email, emailVerified: email !== undefined, name: '' }
            },
          },
        ],
      }),
    ],
  })
}

/** The plugin has verified the ID token by now: signature, issuer, audience, time and nonce. */
async function readClaims(
  { idToken, accessToken }: { idToken?: string | undefined; accessToken?: string | undefined },
  userInfoEndpoint: unknown,
): Promise<Claims | undefined> {
  if (idToken === undefined) return undefined
  const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()
  const claims = JSON.parse(payload) as Claims
  if (claims.email !== undefined || accessToken === undefined) return claims
  return { ...(await fetchClaims(userInfoEndpoint, accessToken, claims.sub)), sub: claims.sub }
}

const EMAIL = /^[^\s@<>"\p{Cc}\p{Cf}]+@[^\s@<>"\p{Cc}\p{Cf}]+$/u

function verifiedEmail(claims: Claims | undefined): string | undefined {
  const { email, email_verified: isVerified } = claims ?? {}
  if (isVerified !== true || typeof email !== 'string' || email.length > 254) return undefined
  return EMAIL.test(email) ? email.toLowerCase() : undefined
}

function nameOf(claims: Claims | undefined, email: string): string {
  const given = typeof claims?.name === 'string' ? claims.name : ''
  const name = given.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()
  return (name || email.split('@')[0]!).slice(0, 100)
}

function withoutTokens<T extends object>(account: T) {
  const nothing = { accessToken: undefined, refreshToken: undefined, idToken: undefined, scope: undefined }
  return { ...account, ...nothing, accessTokenExpiresAt: undefined, refreshTokenExpiresAt: undefined }
}

function problemOf(error: string | null): ErrorCode {
  switch (error) {
    case 'state_mismatch':
    case 'state_not_found':
    case 'state_invalid':
      return 'organisation_expired'
    case 'signup_disabled':
      return 'person_unknown'
    case 'email_not_found':
    case 'account_not_linked':
      return 'email_not_confirmed'
    case 'invalid_code':
      return 'organisation_unavailable'
    case 'access_denied':
      return 'organisation_denied'
    default:
      return 'organisation_refused'
  }
}

function toCookieHeader(cookies: readonly string[]): string {
  return cookies.map(line => line.split(';')[0]).join('; ')
}

/** The library itself has no time limit for a provider. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(new Error('no answer in time'))), PROVIDER_TIMEOUT_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
