// POST /v1/audio/transcriptions: one file in, one transcript out, in OpenAI's form.

import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FileJobs } from '../../files/jobs.ts'
import type { Config } from '../../settings/config.ts'
import { type Authenticate, authenticateWith, callerOf } from '../api/authenticate.ts'
import type { HttpParts } from '../parts.ts'
import { RouteRate } from '../rate-limit.ts'
import { contentTypeOf, formatAnswer, isJson, writeAnswer } from './answer.ts'
import { fillUntil, isLong, PATIENCE, type Patience } from './early-answer.ts'
import { readForm } from './form.ts'
import { type AnswerOptions, readAnswerOptions, readKeywords, readModel } from './options.ts'

export type TranscriptionParts = HttpParts & {
  readonly files: FileJobs
  readonly fileSettings: Pick<Config, 'fileMaxBytes'>
  readonly patience?: Patience
}

/** Registered in a scope of its own: only this route takes forms. */
export function serveTranscriptions(app: FastifyInstance, parts: TranscriptionParts): void {
  void app.register(async room => serveRoute(room, parts, authenticateWith(parts)))
}

function serveRoute(app: FastifyInstance, parts: TranscriptionParts, authenticate: Authenticate): void {
  const limiter = new RouteRate('transcriptions', parts.settings.sessionCreationsPerMinute, parts.sharedRates)
  // The route reads the body itself, while it arrives.
  app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null))
  const options = { onRequest: [authenticate, requireForm], config: { watchesArrival: true as const } }

  app.post('/v1/audio/transcriptions', options, async (request, reply) => {
    const caller = callerOf(request)
    const rate = limiter.take(caller.accountId, parts.clock())
    limiter.writeHeaders(reply, rate)
    const form = await readForm(request, 'model', parts.fileSettings.fileMaxBytes)
    // A file that is refused may never be read: without this it would wait here for good, and its sender with it.
    reply.raw.once('close', form.release)
    const { fields, file, isComplete } = form
    const model = readModel(fields, caller)
    // Wrong fields before the file are refused at once, wrong fields after it before anything is charged.
    const phrases = readKeywords(fields)
    const readOptions = () => readAnswerOptions(fields, model, phrases)
    readOptions()
    const work = parts.files.transcribe({
      buyer: caller,
      model,
      rate,
      bytes: file,
      phrases,
      requestId: request.id,
      signal: goneSignal(reply),
      check: readOptions,
      onSession: sessionId => void reply.header('x-session-id', sessionId),
    })
    const answer = work.then(transcript => formatAnswer(transcript, model, readOptions()))
    const { patience = PATIENCE } = parts
    if (await isLong(answer, isComplete.then(readOptions), patience)) {
      const options = readOptions()
      const body = fillUntil(answer.then(writeAnswer), isJson(options.format) ? ' ' : '', patience)
      return begin(reply, options).send(body)
    }
    const transcript = await answer
    return begin(reply, readOptions()).send(transcript)
  })
}

function begin(reply: FastifyReply, { format, ignored }: AnswerOptions): FastifyReply {
  if (ignored.length > 0) void reply.header('x-ignored-parameters', ignored.join(', '))
  return reply.type(contentTypeOf(format))
}

async function requireForm({ headers }: FastifyRequest): Promise<void> {
  if (headers['content-type']?.toLowerCase().startsWith('multipart/form-data')) return
  throw new ServiceError('unsupported_media_type', { message: 'Content-Type must be multipart/form-data.' })
}

/** Tells that the client hung up before it had its answer. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.on('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new Error('the client has gone'))
  })
  return gone.signal
}
