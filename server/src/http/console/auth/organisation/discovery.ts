// What an OpenID Connect provider says about itself, and about a person in addition to the ID token.

import { ServiceError } from '@sauti/protocol/errors'

export const PROVIDER_TIMEOUT_MS = 10_000

interface ProviderDocument {
  readonly issuer?: unknown
  readonly userinfo_endpoint?: unknown
}

export interface Claims {
  readonly sub?: unknown
  readonly email?: unknown
  readonly email_verified?: unknown
  readonly name?: unknown
}

export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

/** Throws organisation_unavailable, also for a provider that calls itself by another name: its tokens would be for others. */
export async function discover(issuer: string): Promise<ProviderDocument> {
  const document = await fetchJson<ProviderDocument>(discoveryUrl(issuer))
  if (document.issuer !== issuer)
    throw unavailable(new Error(`the discovery document names another issuer: ${String(document.issuer)}`))
  return document
}

/** What the ID token leaves out. It must be about the same person (OpenID Connect Core, 5.3.2). */
export async function fetchClaims(endpoint: unknown, accessToken: string, subject: unknown): Promise<Claims> {
  if (typeof endpoint !== 'string') return {}
  const claims = await fetchJson<Claims>(endpoint, { authorization: `Bearer ${accessToken}` })
  return claims.sub === subject ? claims : {}
}

async function fetchJson<T>(address: string, headers: Record<string, string> = {}): Promise<T> {
  try {
    const answer = await fetch(address, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
    })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    return (await answer.json()) as T
  } catch (error) {
    throw unavailable(error)
  }
}

export function unavailable(cause: unknown): ServiceError {
  return new ServiceError('organisation_unavailable', { cause })
}
