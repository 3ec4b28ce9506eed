// The body of a request: its media type, its JSON, and the message when a schema refuses it.

import { MAX_AUDIO_SECONDS, MIN_AUDIO_SECONDS } from '@sauti/protocol/audio'
import { ERRORS, ServiceError } from '@sauti/protocol/errors'
import type { FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify'

// JSON is UTF-8 (RFC 8259); naming it is allowed, naming another charset is not.
const JSON_MEDIA_TYPE = /^application\/json[\t ]*(;[\t ]*charset=("utf-8"|utf-8)[\t ]*)?;?$/i
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Before the body is read. Runs after the key was checked, as the order of checks demands. */
export function requireJson(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const isJson = JSON_MEDIA_TYPE.test(request.headers['content-type'] ?? '')
  const isPlain = (request.headers['content-encoding'] ?? 'identity') === 'identity'
  if (!isJson || countHeader(request, 'content-type') > 1) throw new ServiceError('unsupported_media_type')
  if (!isPlain) {
    throw new ServiceError('unsupported_media_type', { message: 'The request body must not be compressed.' })
  }
  done()
}

/** Node keeps the first of some repeated headers and hides the rest; an ambiguous request is better refused. */
export function countHeader(request: FastifyRequest, name: string): number {
  return request.raw.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length
}

/** Many clients name the media type with every request, also where a DELETE has no body. */
export async function readJsonBody(request: FastifyRequest, body: Buffer): Promise<unknown> {
  if (body.length === 0 && request.method === 'DELETE') return undefined
  if (body.length === 0) throw new ServiceError('invalid_body')
  try {
    return JSON.parse(utf8.decode(body))
  } catch (cause) {
    throw new ServiceError('invalid_json', { cause, message: 'The request body is not valid JSON.' })
  }
}

/** The first thing that the schema refused, as a code and in words that name the parameter. */
export function describeInvalidBody(refusal: FastifySchemaValidationError): ServiceError {
  const parameter = refusal.instancePath.slice(1)
  switch (refusal.keyword) {
    case 'required':
      return new ServiceError('missing_parameter', {
        message: `${refusal.params.missingProperty} is required.`,
      })
    case 'additionalProperties':
      return describeUnknownParameter(String(refusal.params.additionalProperty))
    default:
      if (parameter === '') return new ServiceError('invalid_body')
      return new ServiceError('invalid_parameter', {
        message: PARAMETER_RULES[parameter] ?? ERRORS.invalid_parameter.message,
      })
  }
}

/** A name that looks like one is repeated in the message; anything else could be a secret in the wrong place. */
function describeUnknownParameter(name: string): ServiceError {
  if (!/^[a-z_]{1,32}$/i.test(name)) return new ServiceError('unknown_parameter')
  return new ServiceError('unknown_parameter', { message: `${name} is not a known parameter.` })
}

const PARAMETER_RULES: Record<string, string> = {
  model: 'model must be a non-empty string.',
  max_audio_seconds: `max_audio_seconds must be an integer from ${MIN_AUDIO_SECONDS} to ${MAX_AUDIO_SECONDS}.`,
}
