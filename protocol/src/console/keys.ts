// API keys of an account.

import { type Static, Type } from '../schema.ts'
import { DateTime, Line, ModelIds, orNull, strict, Uuid } from './fields.ts'

export const ApiKeyView = Type.Object({
  id: Uuid,
  name: Type.String(),
  prefix: Type.String({ description: 'The first characters, to tell keys apart.' }),
  models: orNull(Type.Array(Type.String(), { description: 'null: every model.' })),
  created_at: DateTime,
  expires_at: orNull(DateTime),
  last_used_at: orNull(DateTime),
  last_used_from: Type.Array(Type.Object({ address: Type.String(), at: DateTime }), {
    description: 'Network addresses that used it, the latest first.',
  }),
  revoked_at: orNull(DateTime),
  monthly_limit_seconds: orNull(Type.Integer({ description: 'Audio per calendar month (UTC).' })),
  allowed_addresses: orNull(Type.Array(Type.String(), { description: 'null: any address.' })),
  replaced_by: orNull(Uuid),
})
export type ApiKeyView = Static<typeof ApiKeyView>

export const ApiKeyList = Type.Object({ data: Type.Array(ApiKeyView) })
export type ApiKeyList = Static<typeof ApiKeyList>

const MonthlyLimit = Type.Integer({ minimum: 1, maximum: 100_000_000 })

/** Their form is checked by the server, which knows networks. */
const AllowedAddresses = Type.Array(Type.String({ maxLength: 50, pattern: '^[0-9a-fA-F:./]+$' }), {
  minItems: 1,
  maxItems: 50,
})

export const CreateApiKeyRequest = Type.Object(
  {
    name: Line(80),
    models: Type.Optional(ModelIds),
    expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
    monthly_limit_seconds: Type.Optional(MonthlyLimit),
    allowed_addresses: Type.Optional(AllowedAddresses),
  },
  strict,
)
export type CreateApiKeyRequest = Static<typeof CreateApiKeyRequest>

/** Changes what it names; null takes a rule away. */
export const UpdateApiKeyRequest = Type.Object(
  {
    name: Type.Optional(Line(80)),
    monthly_limit_seconds: Type.Optional(orNull(MonthlyLimit)),
    allowed_addresses: Type.Optional(orNull(AllowedAddresses)),
  },
  { ...strict, minProperties: 1 },
)
export type UpdateApiKeyRequest = Static<typeof UpdateApiKeyRequest>

export const RotateApiKeyRequest = Type.Object(
  {
    overlap_hours: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 720, default: 24, description: 'How long both keys work.' }),
    ),
  },
  strict,
)
export type RotateApiKeyRequest = Static<typeof RotateApiKeyRequest>

export const CreatedApiKey = Type.Object({ ...ApiKeyView.properties, api_key: Type.String() })
export type CreatedApiKey = Static<typeof CreatedApiKey>
