// Deepgram's live protocol at its address: `wss://HOST/v1/listen?model=...&encoding=...`, with the API key in a header or as a subprotocol.

import type { IncomingMessage } from 'node:http'
import { deepgramErrorBody } from '../../../foreign/deepgram/error-body.ts'
import type { Admission, Wire } from '../../dialect.ts'
import { offeredSubprotocols } from '../../upgrade.ts'
import { KeyAdmission, type KeyAdmissionParts } from '../key-admission.ts'
import { queryOf } from '../query.ts'
import { DeepgramDialect, MAX_MESSAGE_BYTES } from './dialect.ts'
import { readLiveOptions } from './live-options.ts'

const PATH = '/v1/listen'
const AUTHORIZATION = /^(?:token|bearer) (\S+)$/i
/** A browser cannot set headers, so it offers the key as the second of two subprotocols. */
const KEY_SUBPROTOCOLS: readonly string[] = ['token', 'bearer']

interface OfferedKey {
  readonly key: string | undefined
  readonly subprotocol: string | undefined
}

export function createDeepgramWire(parts: KeyAdmissionParts): Wire {
  const admission = new KeyAdmission('deepgram', parts)
  return {
    path: PATH,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    async admit(request): Promise<Admission> {
      const { key, subprotocol } = offeredKey(request)
      const holder = await admission.authenticate(request, key)
      const options = readLiveOptions(queryOf(request))
      const credit = await admission.order(holder, options.model)
      return { subprotocol, dialect: new DeepgramDialect({ options, ...parts }), credit }
    },
    refusalBody: deepgramErrorBody,
  }
}

/** The answer selects the first subprotocol, never the secret. */
function offeredKey(request: IncomingMessage): OfferedKey {
  const [scheme, secret] = offeredSubprotocols(request)
  if (scheme !== undefined && secret !== undefined && KEY_SUBPROTOCOLS.includes(scheme.toLowerCase())) {
    return { key: secret, subprotocol: scheme }
  }
  return { key: AUTHORIZATION.exec(request.headers.authorization ?? '')?.[1], subprotocol: undefined }
}
