// What a connection is made from.

import type { Recogniser, VoiceDetector } from '../../recogniser/port.ts'
import type { OpusDecoders } from '../audio/opus-decoders.ts'
import type { Credit, Dialect } from '../dialect.ts'
import type { StreamSettings } from '../settings.ts'
import type { Keepalive } from '../socket/keepalive.ts'
import type { StreamSocket } from '../socket/socket.ts'
import type { SessionUseParts } from './session-use.ts'

/** What all connections of a node share. */
export interface ConnectionParts extends SessionUseParts {
  readonly recogniser: Recogniser
  readonly voice: VoiceDetector
  readonly opus: OpusDecoders
  readonly keepalive: Keepalive
  readonly settings: StreamSettings
  readonly monotonicMs: () => number
}

/** The handshake that a connection begins with. */
export interface Handshake {
  readonly socket: StreamSocket
  /** For the log. */
  readonly requestId: string
  readonly dialect: Dialect
  readonly credit: Credit
}
