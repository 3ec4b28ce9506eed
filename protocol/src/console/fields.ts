// What the fields of several requests and answers have in common.

import {
  EMAIL_PATTERN,
  LINE_PATTERN,
  MAX_EMAIL_CHARACTERS,
  MAX_PASSWORD_CHARACTERS,
  MIN_PASSWORD_CHARACTERS,
  PLAIN_CHARACTER,
} from '../console-rules.ts'
import { MODEL_IDS } from '../models.ts'
import { type Schema, Type } from '../schema.ts'

export const MAX_LISTED = 50

export const strict = { additionalProperties: false } as const

export const Uuid = Type.String({ format: 'uuid' })

export const DateTime = Type.String({ format: 'date-time' })

export const Milliseconds = Type.Integer({ minimum: 0 })

export const orNull = <T extends Schema>(schema: T) => Type.Union([schema, Type.Null()])

export const PlainText = (maxLength: number) => Type.String({ maxLength, pattern: `^${PLAIN_CHARACTER}*$` })

export const Line = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: LINE_PATTERN })

/** The same, with line breaks. */
export const Paragraphs = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: `^(?=[\\s\\S]*\\S)(${PLAIN_CHARACTER}|[\\n\\r\\t])*$` })

export const Email = Type.String({ maxLength: MAX_EMAIL_CHARACTERS, pattern: EMAIL_PATTERN })

export const NewPassword = Type.String({
  minLength: MIN_PASSWORD_CHARACTERS,
  maxLength: MAX_PASSWORD_CHARACTERS,
})

/** An empty list would make a key that can do nothing; every model is no list at all. */
export const ModelIds = Type.Array(Type.Enum([...MODEL_IDS]), { minItems: 1, uniqueItems: true })

/** One page of a list; `next` goes into `before` of the next request. */
export const ListOf = <T extends Schema>(item: T) =>
  Type.Object({ data: Type.Array(item), next: orNull(Type.String()) })
