// Who is signed in: Better Auth with e-mail and password, its sessions in our database. It is called as a library from our
// own routes, never mounted: so every answer has our error body, our limits and our check of the origin, and there is no
// route that we did not write.

import { renewEncryption } from './code-plugin.ts'
import { renewSignature } from './cookie-secrets.ts'
import { type AuthParts, configure, type Library, SESSION_COOKIE } from './library.ts'
import { createOneTimeCodes, type OneTimeCodes } from './one-time-codes.ts'
import { refusedIsUndefined, type SignIn } from './outcome.ts'
import { createPasskeys, type Passkeys } from './passkeys.ts'
import { createPasswords, type Passwords } from './passwords.ts'

/** The password was right, and a code is asked for; the cookies say who is signing in. */
export interface CodeRequired {
  readonly userId?: undefined
  readonly cookies: readonly string[]
}

export interface RecognisedSignIn extends SignIn {
  readonly signInId: string
}

interface SignIns {
  /** Undefined for a wrong password and for an unknown address alike, after the same work. */
  signIn(email: string, password: string): Promise<SignIn | CodeRequired | undefined>
  /** Who the cookie belongs to; `cookies` is not empty where the sign-in was prolonged. */
  recognise(cookie: string): Promise<RecognisedSignIn | undefined>
  signOut(cookie: string): Promise<readonly string[]>
}

export interface Auth extends SignIns, OneTimeCodes, Passwords {
  readonly passkeys: Passkeys
  /** Encrypts what the previous secret has encrypted under the current one. */
  renewEncryption(): Promise<void>
}

export function createAuth(parts: AuthParts): Auth {
  let configured: Library | undefined
  // Not before the first use: the public address may be known only once the service listens.
  const library = () => {
    configured ??= configure(parts)
    return configured
  }
  const headersOf = (cookie: string) =>
    new Headers({ cookie: renewSignature(cookie, SESSION_COOKIE, parts.cookieSecrets) })
  return {
    ...createSignIns(library, headersOf),
    ...createOneTimeCodes(library, headersOf),
    ...createPasswords(library, headersOf),
    passkeys: createPasskeys(library, headersOf),
    renewEncryption: () => renewEncryption(parts),
  }
}

function createSignIns(library: () => Library, headersOf: (cookie: string) => Headers): SignIns {
  return {
    async signIn(email, password) {
      const answer = await refusedIsUndefined(
        library().api.signInEmail({ body: { email, password }, headers: new Headers(), returnHeaders: true }),
      )
      if (!answer) return undefined
      const cookies = answer.headers.getSetCookie()
      // The plugin for one-time codes answers in place of the library, which its types do not say.
      const { user } = answer.response as { user?: { id: string } }
      return user ? { userId: user.id, cookies } : { cookies }
    },
    async recognise(cookie) {
      const { response, headers } = await library().api.getSession({
        headers: headersOf(cookie),
        returnHeaders: true,
      })
      if (!response) return undefined
      const { user, session } = response
      return { userId: user.id, signInId: session.id, cookies: headers.getSetCookie() }
    },
    async signOut(cookie) {
      const { headers } = await library().api.signOut({ headers: headersOf(cookie), returnHeaders: true })
      return headers.getSetCookie()
    },
  }
}
