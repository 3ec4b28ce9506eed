// The life of a connection as one named value. Everything that depends on how far a connection has come asks for it.

import type { StreamErrorCode } from '@sauti/protocol/errors'

/** Why a connection finishes: it still gives the client what it is owed. */
export type FinishReason =
  | Extract<StreamErrorCode, 'audio_limit_reached' | 'server_restarting' | 'too_many_invalid_messages'>
  | 'client_finished'

export type ConnectionState =
  /** The session is being opened, then a slot of the recogniser is awaited. */
  | { readonly name: 'opening' }
  /** `ready` was sent. */
  | { readonly name: 'streaming' }
  /** Nothing more is taken from the client; it gets the answers that it is owed. */
  | { readonly name: 'finishing'; readonly reason: FinishReason }
  /** Nothing more is taken or said. The session is settled, then the socket is closed. */
  | { readonly name: 'closed' }

type StateName = ConnectionState['name']

export const CONNECTION_TRANSITIONS: Readonly<Record<StateName, readonly StateName[]>> = {
  opening: ['streaming', 'closed'],
  streaming: ['finishing', 'closed'],
  finishing: ['closed'],
  closed: [],
}

/** Throws on a transition that the table does not have: that would be a fault of ours. */
export function transition(from: ConnectionState, to: ConnectionState): ConnectionState {
  if (CONNECTION_TRANSITIONS[from.name].includes(to.name)) return to
  throw new Error(`a connection cannot go from ${from.name} to ${to.name}`)
}
