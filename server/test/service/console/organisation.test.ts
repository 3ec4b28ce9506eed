// Signing in with a real OpenID Connect provider: who is let in, and what is refused.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { API, type Browser, type Console, startConsole } from '../../support/console/console.ts'
import { type OidcProvider, type Person, startOidcProvider } from '../../support/console/oidc-provider.ts'
import { PUBLIC_URL } from '../../support/service/control-plane.ts'

let provider: OidcProvider
let site: Console
beforeAll(async () => {
  provider = await startOidcProvider(`${PUBLIC_URL}${API}/sign-in/organisation/callback`)
  site = await startWith(provider, ['clinic.test'])
})
afterAll(async () => {
  await site.close()
  await provider.close()
})
afterEach(() => {
  provider.forgedClaims = undefined
  provider.isDown = false
})

function startWith({ issuer, clientId, clientSecret }: OidcProvider, domains?: string[]): Promise<Console> {
  const organisation = {
    oidcIssuer: issuer,
    oidcClientId: clientId,
    oidcClientSecret: clientSecret,
    oidcDomains: domains,
  }
  return startConsole({ organisation })
}

/** To the provider and back; gives where the browser is sent in the end. */
async function signIn(person: Person, browser = site.browser()) {
  provider.person = person
  const { json } = await browser.call('POST', '/sign-in/organisation')
  const back = await provider.visit(json.url)
  return { browser, back, location: await arrive(browser, back) }
}

async function arrive(browser: Browser, back: URL): Promise<string | undefined> {
  const answer = await browser.call('GET', back.pathname.replace(API, '') + back.search)
  expect(answer.status).toBe(302)
  return answer.headers.location
}

async function lastEntry() {
  const [entry] = await site.db.query<{ action: string; target: string | null; details: object }>(
    'SELECT action, target, details FROM audit_entries ORDER BY id DESC LIMIT 1',
  )
  return entry
}

const colleague = (email: string): Person => ({ sub: email, email, email_verified: true, name: 'Wanjiru' })

describe('signing in with an organisation', () => {
  it('lets in a known person with the verified e-mail address, again and again, and keeps no tokens', async () => {
    await site.operator('chief@elsewhere.test')
    const { browser, location } = await signIn(colleague('Chief@elsewhere.test'))
    expect(location).toBe('/operator')
    expect((await browser.call('GET', '/me')).json).toMatchObject({ email: 'chief@elsewhere.test' })
    expect(await lastEntry()).toEqual({
      action: 'sign_in.start',
      target: 'chief@elsewhere.test',
      details: { with: 'organisation' },
    })
    expect((await signIn(colleague('chief@elsewhere.test'))).location).toBe('/operator')
    const stored = await site.db.query("SELECT * FROM user_credentials WHERE provider_id LIKE 'oidc-%'")
    expect(stored).toMatchObject([{ provider_account_id: 'chief@elsewhere.test', password: null }])
  })

  it('lets in somebody of an allowed domain, with an account and without credit', async () => {
    const { browser, location } = await signIn(colleague('wanjiru@clinic.test'))
    expect(location).toBe('/app')
    expect((await browser.call('GET', '/me')).json).toMatchObject({ name: 'Wanjiru', role: 'developer' })
    expect((await browser.call('GET', '/usage')).json.available_ms).toBe(0)
    // The sign-in is a fresh one, so keys can be created without a password, which this person does not have.
    expect((await browser.call('POST', '/keys', { name: 'mine' })).status).toBe(201)
    expect((await signIn(colleague('wanjiru@clinic.test'))).location).toBe('/app')
  })

  it('lets somebody without a password delete their data, shortly after they signed in', async () => {
    const { browser } = await signIn(colleague('atieno@clinic.test'))
    expect((await browser.call('GET', '/me')).json.has_password).toBe(false)
    expect((await browser.call('GET', '/team')).json.data).toMatchObject([{ has_joined: true }])
    site.now = new Date(site.now.getTime() + 16 * 60_000)
    const refused = await browser.call('POST', '/me/delete', {})
    expect([refused.status, refused.json.error.code]).toEqual([403, 'fresh_sign_in_required'])
    expect((await browser.call('POST', '/keys', { name: 'mine' })).json.error.code).toBe(
      'fresh_sign_in_required',
    )
    await signIn(colleague('atieno@clinic.test'), browser)
    expect((await browser.call('POST', '/me/delete', {})).status).toBe(204)
    expect(await site.db.query("SELECT FROM users WHERE email = 'atieno@clinic.test'")).toEqual([])
  })

  it.each([
    ['somebody who is not known', colleague('stranger@elsewhere.test'), 'person_unknown'],
    ['a domain that only ends like an allowed one', colleague('a@not-clinic.test'), 'person_unknown'],
    [
      'an unverified e-mail address',
      { ...colleague('b@clinic.test'), email_verified: false },
      'email_not_confirmed',
    ],
    ['no e-mail address', { sub: 'c' }, 'email_not_confirmed'],
    ['somebody whom the provider denies', { sub: 'denied' }, 'organisation_denied'],
  ])('refuses %s, and says why', async (_, person, problem) => {
    const { browser, location } = await signIn(person)
    expect(location).toBe(`/signin?problem=${problem}`)
    expect((await browser.call('GET', '/me')).status).toBe(401)
    expect(await lastEntry()).toEqual({
      action: 'sign_in.refuse',
      target: null,
      details: { with: 'organisation', reason: problem },
    })
  })

  it.each([
    ['another audience', { aud: 'another-client' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['another nonce', { nonce: 'replayed' }],
    ['a time that is over', { exp: 1_000_000_000 }],
  ])('refuses an ID token with %s', async (_, claims) => {
    provider.forgedClaims = claims
    const { browser, location } = await signIn(colleague('wanjiru@clinic.test'))
    expect(location).toBe('/signin?problem=organisation_refused')
    expect((await browser.call('GET', '/me')).status).toBe(401)
  })

  it('refuses an answer that was used before, and one that another browser asked for', async () => {
    const { back, browser } = await signIn(colleague('wanjiru@clinic.test'))
    expect(await arrive(browser, back)).toBe('/signin?problem=organisation_expired')
    provider.person = colleague('wanjiru@clinic.test')
    const { json } = await site.browser().call('POST', '/sign-in/organisation')
    const victim = site.browser()
    expect(await arrive(victim, await provider.visit(json.url))).toBe('/signin?problem=organisation_expired')
    expect((await victim.call('GET', '/me')).status).toBe(401)
  })

  it('says that the provider is down, at the beginning and in the middle', async () => {
    provider.person = colleague('wanjiru@clinic.test')
    const browser = site.browser()
    const { json } = await browser.call('POST', '/sign-in/organisation')
    const back = await provider.visit(json.url)
    provider.isDown = true
    expect(await arrive(browser, back)).toBe('/signin?problem=organisation_unavailable')

    const late = await startWith(provider)
    const refused = await late.browser().call('POST', '/sign-in/organisation')
    expect(refused).toMatchObject({ status: 503, json: { error: { code: 'organisation_unavailable' } } })
    provider.isDown = false
    expect((await late.browser().call('POST', '/sign-in/organisation')).status).toBe(200)
    await late.close()
  })

  it('does not use a provider that calls itself by another name', async () => {
    provider.otherIssuer = 'https://evil.example'
    const wary = await startWith(provider)
    const refused = await wary.browser().call('POST', '/sign-in/organisation')
    expect(refused.json.error.code).toBe('organisation_unavailable')
    provider.otherIssuer = undefined
    await wary.close()
  })

  it('does not link the people of one provider to those of another', async () => {
    const other = await startOidcProvider(`${PUBLIC_URL}${API}/sign-in/organisation/callback`)
    const [before] = await site.db.query<{ provider_id: string }>(
      "SELECT DISTINCT provider_id FROM user_credentials WHERE provider_id LIKE 'oidc-%'",
    )
    const moved = await startWith(other, ['clinic.test'])
    other.person = colleague('new@clinic.test')
    const browser = moved.browser()
    const { json } = await browser.call('POST', '/sign-in/organisation')
    expect(await arrive(browser, await other.visit(json.url))).toBe('/app')
    const [after] = await moved.db.query<{ provider_id: string }>(
      "SELECT DISTINCT provider_id FROM user_credentials WHERE provider_id LIKE 'oidc-%'",
    )
    expect(after!.provider_id).not.toBe(before!.provider_id)
    await moved.close()
    await other.close()
  })

  it('is offered only where it is set', async () => {
    const features = async (where: Console) => (await where.browser().call('GET', '/features')).json
    expect(await features(site)).toMatchObject({ organisation: 'Example Clinic' })
    const without = await startConsole()
    expect(await features(without)).toMatchObject({ organisation: null })
    expect((await without.browser().call('POST', '/sign-in/organisation')).status).toBe(404)
    await without.close()
  })
})
