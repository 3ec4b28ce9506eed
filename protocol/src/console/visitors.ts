// For visitors: the waitlist, the demonstration of the front page, and what this server can do.

import { MODEL_IDS } from '../models.ts'
import { type Static, Type } from '../schema.ts'
import { Email, Line, Milliseconds, orNull, Paragraphs, PlainText, strict } from './fields.ts'

export const JoinRequest = Type.Object(
  { name: Line(100), email: Email, organisation: PlainText(120), use: Paragraphs(1000) },
  strict,
)
export type JoinRequest = Static<typeof JoinRequest>

export const APPLICATION_STATUSES = ['waiting', 'approved', 'declined'] as const

/** `none`: the browser that asks has sent no application. */
export const ApplicationState = Type.Object({ status: Type.Enum([...APPLICATION_STATUSES, 'none']) })
export type ApplicationState = Static<typeof ApplicationState>

/** What this server can do, for pages that offer only that. */
export const Features = Type.Object({
  mail: Type.Boolean(),
  passkeys: Type.Boolean({
    description: 'false: the public address is an IP address, for which browsers allow no passkeys.',
  }),
  public_url: Type.String({ description: 'Where passkeys work; browsers refuse them at any other address.' }),
  organisation: orNull(Type.String({ description: 'Name of the provider that people can sign in with.' })),
})
export type Features = Static<typeof Features>

export const SampleClip = Type.Object({
  id: Type.String(),
  title: Type.String(),
  model: Type.Enum([...MODEL_IDS]),
  language: Type.String(),
  words: Type.String({ description: 'What is said in it.' }),
  duration_ms: Milliseconds,
  audio_url: Type.String(),
  transcript_url: Type.String(),
})
export type SampleClip = Static<typeof SampleClip>

export const SampleClipList = Type.Object({ data: Type.Array(SampleClip) })
export type SampleClipList = Static<typeof SampleClipList>
