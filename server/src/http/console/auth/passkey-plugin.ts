// Better Auth's plugin for passkeys on our own table. A passkey belongs to one host name, that of the public address: browsers accept
// neither another name nor a bare IP address.

import { passkey } from '@better-auth/passkey'
import { APIError } from 'better-auth/api'
import { hostOf } from './own-addresses.ts'

/** A passkey replaces password and code, so whoever holds the device must prove to be its owner, with a PIN or a fingerprint. */
export function passkeyPlugin(publicUrl: string) {
  return passkey({
    rpID: hostOf(publicUrl),
    rpName: 'Sauti',
    origin: publicUrl,
    // Without a name typed first: the passkey itself says whose it is.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: async ({ verification }) =>
        requireVerifiedPerson(verification.registrationInfo?.userVerified),
    },
    authentication: {
      afterVerification: async ({ verification }) =>
        requireVerifiedPerson(verification.authenticationInfo.userVerified),
    },
    advanced: { webAuthnChallengeCookie: 'passkey' },
    schema: {
      passkey: {
        modelName: 'passkeys',
        fields: {
          publicKey: 'public_key',
          userId: 'user_id',
          credentialID: 'credential_id',
          deviceType: 'device_type',
          backedUp: 'backed_up',
          createdAt: 'created_at',
        },
      },
    },
  })
}

function requireVerifiedPerson(userVerified: boolean | undefined): void {
  if (userVerified !== true) throw new APIError('UNAUTHORIZED', { message: 'nobody was verified' })
}
