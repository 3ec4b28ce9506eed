// Passkeys: what browsers give for them, and what people see of their own.

import { type Properties, type Static, Type } from '../schema.ts'
import { DateTime, Line, orNull, strict, Uuid } from './fields.ts'

// What browsers give for a passkey (WebAuthn level 3, toJSON); they may add more.
const Encoded = (maxLength: number) => Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]*$' })
const PasskeyResponse = <T extends Properties>(response: T) =>
  Type.Object({
    id: Encoded(1400),
    rawId: Encoded(1400),
    type: Type.Literal('public-key'),
    response: Type.Object({ clientDataJSON: Encoded(4000), ...response }),
    clientExtensionResults: Type.Object({}),
  })

export const AddPasskeyRequest = Type.Object(
  {
    name: Line(80),
    response: PasskeyResponse({
      attestationObject: Encoded(12_000),
      transports: Type.Optional(
        Type.Array(Type.String({ maxLength: 20, pattern: '^[a-z-]+$' }), { maxItems: 10 }),
      ),
    }),
  },
  strict,
)
export type AddPasskeyRequest = Static<typeof AddPasskeyRequest>

export const SignInWithPasskeyRequest = Type.Object(
  { response: PasskeyResponse({ authenticatorData: Encoded(4000), signature: Encoded(4000) }) },
  strict,
)
export type SignInWithPasskeyRequest = Static<typeof SignInWithPasskeyRequest>

export const RenamePasskeyRequest = Type.Object({ name: Line(80) }, strict)
export type RenamePasskeyRequest = Static<typeof RenamePasskeyRequest>

export const PasskeyView = Type.Object({
  id: Uuid,
  name: Type.String(),
  created_at: DateTime,
  last_used_at: orNull(DateTime),
})
export type PasskeyView = Static<typeof PasskeyView>
export const PasskeyList = Type.Object({ data: Type.Array(PasskeyView) })
export type PasskeyList = Static<typeof PasskeyList>
