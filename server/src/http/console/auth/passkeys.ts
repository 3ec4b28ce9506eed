// Adding passkeys and signing in with them, through Better Auth's plugin.

import type { SignInWithPasskeyRequest } from '@sauti/protocol/console'
import { APIError } from 'better-auth/api'
import type { Library } from './library.ts'
import { refusedIsUndefined, type SignIn, toSignIn } from './outcome.ts'

/** What the browser is asked to do, as the browser's own API takes it. */
export interface Challenge {
  readonly options: object
  /** Set-Cookie values: which challenge the answer belongs to. */
  readonly cookies: readonly string[]
}

export interface Passkeys {
  beginAdding(cookie: string): Promise<Challenge>
  /** Gives the id of the new passkey. Undefined when what the browser sent is not accepted. */
  finishAdding(cookie: string, name: string, response: object): Promise<string | undefined>
  beginSignIn(): Promise<Challenge>
  /** Undefined when what the browser sent is not accepted. */
  signIn(cookie: string, response: SignInWithPasskeyRequest['response']): Promise<SignIn | undefined>
}

export function createPasskeys(library: () => Library, headersOf: (cookie: string) => Headers): Passkeys {
  return {
    async beginAdding(cookie) {
      const answer = await library().api.generatePasskeyRegistrationOptions({
        headers: headersOf(cookie),
        returnHeaders: true,
      })
      return { options: answer.response, cookies: answer.headers.getSetCookie() }
    },
    async finishAdding(cookie, name, response) {
      const answer = await refusedIsUndefined(
        library()
          .api.verifyPasskeyRegistration({ body: { response, name }, headers: headersOf(cookie) })
          .catch(rethrowAsRefusal),
      )
      return answer?.id
    },
    async beginSignIn() {
      const answer = await library().api.generatePasskeyAuthenticationOptions({
        headers: new Headers(),
        returnHeaders: true,
      })
      // The plugin always writes "preferred"; afterVerification above checks it.
      const options = { ...answer.response, userVerification: 'required' }
      return { options, cookies: answer.headers.getSetCookie() }
    },
    signIn: (cookie, response) =>
      toSignIn(
        library().api.verifyPasskeyAuthentication({
          body: { response },
          headers: headersOf(cookie),
          returnHeaders: true,
        }),
      ),
  }
}

/** The plugin calls every registration that it does not accept a failure of its own. */
function rethrowAsRefusal(error: unknown): never {
  const isRefusal = error instanceof APIError && error.body?.code === 'FAILED_TO_VERIFY_REGISTRATION'
  throw isRefusal ? new APIError('BAD_REQUEST') : error
}
