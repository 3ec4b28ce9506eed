// What every way to sign in gives, whichever part of Better Auth it goes through.

import { APIError } from 'better-auth/api'

export interface SignIn {
  readonly userId: string
  /** Set-Cookie values for the answer. */
  readonly cookies: readonly string[]
}

export async function toSignIn(
  answer: Promise<{ headers: Headers; response: { user: { id: string } } }>,
): Promise<SignIn | undefined> {
  const good = await refusedIsUndefined(answer)
  return good && { userId: good.response.user.id, cookies: good.headers.getSetCookie() }
}

export async function refusedIsUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof APIError && error.statusCode < 500) return undefined
    throw error
  }
}
