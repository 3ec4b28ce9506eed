// The front page's demonstration: a bundled clip through the real recogniser at the pace of speech, its text relayed as
// server-sent events. Visitors send nothing but the clip's name, so there is no credential and nothing to bill.

import { setTimeout as wait } from 'node:timers/promises'
import { DEFAULT_LOOK_AHEAD, type LookAhead, SAMPLES_PER_MS } from '@sauti/protocol/audio'
import type { SampleClip, SampleClipList } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { ModelId } from '@sauti/protocol/models'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Recogniser, RecogniserStream } from '../../../recogniser/port.ts'
import { RouteRate } from '../../rate-limit.ts'
import type { ConsoleParts } from '../parts.ts'
import type { Sample } from './samples.ts'

const PATH = `${CONSOLE_API}/demo/clips`
const PUSH_MS = 80
const STARTS_PER_MINUTE = 12
/** Words appear half a second after the sound. On clear clips this costs little accuracy. */
const LIVELY_LOOK_AHEAD: LookAhead = 6

export function serveDemo(app: FastifyInstance, parts: ConsoleParts, samples: readonly Sample[]): void {
  const { recogniser, clock, clientOf, settings } = parts
  const rate = new RouteRate('demo', STARTS_PER_MINUTE)
  let running = 0

  app.get(PATH, async (): Promise<SampleClipList> => {
    const shown =
      settings.demoStreams > 0 ? samples.filter(sample => recogniser.models.includes(sample.model)) : []
    return { data: shown.map(describeClip) }
  })

  app.get<{ Params: { id: string } }>(`${PATH}/:id/audio`, async ({ params }, reply) => {
    const { wav } = findSample(samples, params.id)
    return reply
      .header('content-type', 'audio/wav')
      .header('cache-control', 'public, max-age=86400')
      .send(wav)
  })

  app.get<{ Params: { id: string } }>(`${PATH}/:id/transcript`, async (request, reply) => {
    const sample = findSample(samples, request.params.id)
    rate.require(clientOf(request.raw), clock(), reply)
    // Visitors never take the last slots: those are for paying clients.
    const isCrowded = recogniser.openStreams >= Math.max(1, recogniser.capacity - 1)
    if (running >= settings.demoStreams || isCrowded) throw new ServiceError('capacity_exceeded')
    running++
    try {
      await relay(parts, sample, request, reply)
    } finally {
      running--
    }
    return reply
  })
}

function findSample(samples: readonly Sample[], id: string): Sample {
  const sample = samples.find(one => one.id === id)
  if (!sample) throw new ServiceError('record_not_found')
  return sample
}

function describeClip({ id, title, model, language, words, durationMs }: Sample): SampleClip {
  return {
    id,
    title,
    model,
    language,
    words,
    duration_ms: durationMs,
    audio_url: `${PATH}/${id}/audio`,
    transcript_url: `${PATH}/${id}/transcript`,
  }
}

async function relay(
  { recogniser, log }: ConsoleParts,
  sample: Sample,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const gone = new AbortController()
  // The answer's own end: the socket lives on for the next request of a kept-alive connection.
  reply.raw.once('close', () => gone.abort())
  const settings = { lookAhead: chooseLookAhead(recogniser, sample.model), phrases: [] }
  const stream = await recogniser.open(sample.model, settings, gone.signal)
  try {
    startEvents(reply)
    await Promise.all([speak(stream, sample.pcm, gone.signal), relayEvents(stream, reply)])
  } catch (error) {
    if (!gone.signal.aborted)
      sendEvent(reply, 'failed', { message: 'The recogniser is temporarily unavailable.' })
    log.warn({ reqId: request.id, err: error }, 'demonstration ended early')
  } finally {
    stream.close()
    reply.raw.end()
  }
}

function chooseLookAhead(recogniser: Recogniser, model: ModelId): LookAhead {
  return recogniser.lookAheads(model).includes(LIVELY_LOOK_AHEAD) ? LIVELY_LOOK_AHEAD : DEFAULT_LOOK_AHEAD
}

/** Pushes the clip as a microphone would, by the clock and not by counted pauses, so that late timers do not add up. */
async function speak(stream: RecogniserStream, pcm: Int16Array, signal: AbortSignal): Promise<void> {
  const startedMs = performance.now()
  for (let sent = 0; sent < pcm.length; ) {
    const due = Math.min(pcm.length, Math.floor((performance.now() - startedMs + PUSH_MS) * SAMPLES_PER_MS))
    stream.push(pcm.slice(sent, due))
    sent = due
    await wait(PUSH_MS, undefined, { signal })
  }
  stream.flush()
}

/** Resolves when the clip is transcribed. */
function relayEvents(stream: RecogniserStream, reply: FastifyReply): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.listen({
      onEvent(event) {
        if (event.type === 'delta') sendEvent(reply, 'delta', { text: event.text })
        if (event.type !== 'final') return
        sendEvent(reply, 'final', { text: event.text, words: event.words })
        resolve()
      },
      onLost: reject,
    })
  })
}

function startEvents(reply: FastifyReply): void {
  reply.hijack()
  const headers = reply.getHeaders() as Record<string, string>
  reply.raw.writeHead(200, { ...headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
  sendEvent(reply, 'ready', {})
}

function sendEvent(reply: FastifyReply, name: string, data: object): void {
  reply.raw.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
}
