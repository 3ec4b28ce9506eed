// What the browser does with passkeys, between two requests to the server. Loaded only where somebody uses one.

import type { Me, PasskeyView } from '@sauti/protocol/console'
import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'
import { post } from './api.ts'
import { ApiError } from './api-error.ts'

export async function addPasskey(name: string): Promise<PasskeyView> {
  const optionsJSON = await post<PublicKeyCredentialCreationOptionsJSON>('/passkeys/begin')
  const response = await inWords(startRegistration({ optionsJSON }))
  return post<PasskeyView>('/passkeys', { name, response })
}

export async function signInWithPasskey(): Promise<Me> {
  const optionsJSON = await post<PublicKeyCredentialRequestOptionsJSON>('/sign-in/passkey/begin')
  const response = await inWords(startAuthentication({ optionsJSON }))
  return post<Me>('/sign-in/passkey', { response })
}

/** The browser tells little on purpose: a cancelled dialog and a missing passkey look alike. */
async function inWords<T>(ceremony: Promise<T>): Promise<T> {
  try {
    return await ceremony
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    if (name === 'InvalidStateError')
      throw new ApiError(0, 'passkey_exists', 'This device already has a passkey for you.')
    throw new ApiError(0, 'passkey_cancelled', 'No passkey was used. Try again, or choose another way.')
  }
}
