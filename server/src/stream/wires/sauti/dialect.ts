// Our own protocol on a connection (spec 4.4 and 6): the connection's requests and events are its messages, one to one.

import { type CloseErrorCode, closeCode, type OrderErrorCode } from '@sauti/protocol/errors'
import { encodeEvent, MAX_TEXT_BYTES, parseClientMessage, type ServerEvent } from '@sauti/protocol/stream'
import type { CloseFrame, Dialect, StreamEvent, StreamRequest } from '../../dialect.ts'

const NORMAL_CLOSE = 1000

/** Keeps nothing, so all connections share it. */
export const sautiDialect: Dialect = {
  maxTextBytes: MAX_TEXT_BYTES,
  takesEarlyAudio: false,
  interimWords: false,
  greeting: [],
  firstRequests: [],
  parse,
  encode,
  closeFrame,
}

/** An empty binary frame is no audio and no fault. */
function parse(frame: Buffer, isBinary: boolean): readonly StreamRequest[] {
  if (!isBinary) return [parseClientMessage(frame.toString())]
  return frame.length > 0 ? [{ type: 'audio', bytes: frame }] : []
}

/** Our protocol has no message that asks to finish, so `finished` never comes; its sessions are ordered over HTTP. */
function encode(event: StreamEvent): readonly string[] {
  if (event.type === 'finished') return []
  if (event.type !== 'delta') return [encodeEvent(event as ServerEvent)]
  const { words: _words, ...delta } = event
  return [encodeEvent(delta)]
}

function closeFrame(code: CloseErrorCode | OrderErrorCode | undefined): CloseFrame {
  return code === undefined ? { code: NORMAL_CLOSE, reason: '' } : { code: closeCode(code), reason: code }
}
