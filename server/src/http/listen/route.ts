// POST /v1/listen: one file in, one transcript out, in Deepgram's form. The file is the body; options are in the query.

import { createHash, type Hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { deepgramErrorBody } from '../../foreign/deepgram/error-body.ts'
import { invalid, readBoolean, readCommonOptions } from '../../foreign/deepgram/options.ts'
import { createErrorAnswer } from '../answer-error.ts'
import { authenticateWith, callerOf } from '../api/authenticate.ts'
import { RouteRate } from '../rate-limit.ts'
import { fillUntil, isLong, PATIENCE } from '../transcriptions/early-answer.ts'
import type { TranscriptionParts } from '../transcriptions/route.ts'
import { goneSignal } from '../transcriptions/route.ts'
import { describeTranscript } from './answer.ts'

/** Options of live audio that say nothing about a file. */
const LIVE_ONLY = ['encoding', 'sample_rate', 'channels']

const MAX_SILENCE_MS = 30_000

/** Registered in a scope of its own: only this route takes any body and reports errors in Deepgram's form. */
export function serveListen(app: FastifyInstance, parts: TranscriptionParts): void {
  void app.register(async room => serveRoute(room, parts))
}

function serveRoute(app: FastifyInstance, parts: TranscriptionParts): void {
  const limiter = new RouteRate('listen', parts.settings.sessionCreationsPerMinute, parts.sharedRates)
  app.setErrorHandler(createErrorAnswer(app.log, deepgramErrorBody))
  // The route reads the body itself, while it arrives.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  const options = {
    onRequest: [takeTokenAsBearer, authenticateWith(parts), refuseAddresses],
    config: { watchesArrival: true as const },
  }

  app.post('/v1/listen', options, async (request, reply) => {
    const caller = callerOf(request)
    const query = readQuery(request)
    const asked = readCommonOptions(query, 'file')
    if (caller.models && !caller.models.includes(asked.model)) throw new ServiceError('model_not_allowed')
    const wantsUtterances = readBoolean(query, 'utterances')
    const now = parts.clock()
    const rate = limiter.take(caller.accountId, now)
    limiter.writeHeaders(reply, rate)
    const hash = createHash('sha256')
    const uploaded = new Promise(resolve => request.raw.once('end', resolve))
    const work = parts.files.transcribe({
      buyer: caller,
      model: asked.model,
      rate,
      bytes: readFile(request.raw, parts.fileSettings.fileMaxBytes, hash),
      phrases: asked.phrases,
      requestId: request.id,
      signal: goneSignal(reply),
      check: () => undefined,
      onSession: sessionId => void reply.header('dg-request-id', sessionId),
    })
    const answer = work.then(transcript => {
      const facts = { sha256: hash.digest('hex'), created: now, wantsUtterances }
      return describeTranscript(transcript, asked, facts)
    })
    const { patience = PATIENCE } = parts
    if (await isLong(answer, uploaded, patience)) {
      const written = answer.then(transcript => JSON.stringify(transcript))
      return reply.type('application/json').send(fillUntil(written, ' ', patience))
    }
    return answer
  })
}

/** `Token KEY` is how Deepgram's clients say it. */
async function takeTokenAsBearer({ raw }: FastifyRequest): Promise<void> {
  const key = /^token +(\S+) *$/i.exec(raw.headers.authorization ?? '')?.[1]
  if (key !== undefined) raw.headers.authorization = `Bearer ${key}`
}

/** Deepgram fetches files from addresses, given as JSON; this service fetches nothing for others. */
async function refuseAddresses({ headers }: FastifyRequest): Promise<void> {
  if (!headers['content-type']?.toLowerCase().startsWith('application/json')) return
  throw new ServiceError('unsupported_media_type', {
    message: 'Send the file itself as the body; files are not fetched from addresses.',
  })
}

function readQuery({ raw }: FastifyRequest): URLSearchParams {
  const query = new URL(raw.url ?? '', 'http://localhost').searchParams
  for (const name of LIVE_ONLY) {
    if (query.has(name)) throw invalid(name, 'is for live audio. A file says itself what is in it.')
  }
  return query
}

/** The rest of a file that nobody wants is read and dropped, so that the client can read its answer. */
async function* readFile(request: IncomingMessage, maxBytes: number, hash: Hash): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const piece of inTime(request)) {
      bytes += piece.length
      if (bytes > maxBytes) {
        const size = `${Math.floor(maxBytes / 2 ** 20)} MiB`
        throw new ServiceError('file_too_large', { message: `The file is larger than ${size}.` })
      }
      hash.update(piece)
      yield piece
    }
  } finally {
    request.resume()
  }
}

/** A client that sends nothing for too long has gone. While the service itself is slow, it may wait. */
async function* inTime(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  const pieces = request.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      const { done, value } = await nextInTime(request, pieces)
      if (done) return
      yield value
    }
  } finally {
    // As long as it listens for more, nobody else can read the rest.
    await pieces.return?.()
  }
}

async function nextInTime(request: IncomingMessage, pieces: AsyncIterator<Uint8Array>) {
  const timer = setTimeout(() => request.destroy(new Error('the upload stopped')), MAX_SILENCE_MS)
  try {
    return await pieces.next()
  } catch (cause) {
    throw new ServiceError('invalid_body', { message: 'The upload broke off.', cause })
  } finally {
    clearTimeout(timer)
  }
}
