// Signing in with an organisation's provider: the redirect to it, and the return with its answer. Served only where one is set.

import type { OrganisationDeparture } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { type ErrorCode, ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireJson } from '../../json-body.ts'
import type { Arrival, Organisation } from '../auth/organisation/organisation.ts'
import { ORGANISATION_CALLBACK } from '../auth/own-addresses.ts'
import type { ConsoleParts } from '../parts.ts'
import { AttemptLimit, challengeRule, passwordRule } from './attempts.ts'
import { recordRefusal, welcome } from './welcome.ts'

/** More than providers send, less than could fill a log. */
const MAX_PARAMETER_LENGTH = 4096

export function serveOrganisation(app: FastifyInstance, parts: ConsoleParts): void {
  const { organisation } = parts
  if (organisation === undefined) return
  const rule = passwordRule(parts.settings.signInFailures)
  const departures = new AttemptLimit(parts, challengeRule(rule))
  const arrivals = new AttemptLimit(parts, challengeRule(rule))

  app.post(
    `${CONSOLE_API}/sign-in/organisation`,
    { onRequest: requireJson },
    async (request, reply): Promise<OrganisationDeparture> => {
      departures.take(request, 'a departure')
      const { url, cookies } = await organisation.begin()
      reply.header('set-cookie', [...cookies])
      return { url }
    },
  )

  app.get(ORGANISATION_CALLBACK, async (request, reply) => {
    const undoAttempt = arrivals.take(request, 'an arrival')
    const arrival = await arrive(organisation, request)
    if ('problem' in arrival) return refuse(parts, request, reply, arrival.problem)
    undoAttempt()
    const me = await welcome(parts, request, reply, arrival.signIn, 'organisation')
    return reply.redirect(me.account === null ? '/operator' : '/app')
  })
}

async function arrive(organisation: Organisation, { headers, query }: FastifyRequest): Promise<Arrival> {
  try {
    return await organisation.finish(headers.cookie ?? '', readQuery(query))
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'organisation_unavailable')
      return { problem: error.code }
    throw error
  }
}

function readQuery(query: unknown): Record<string, string> {
  const pairs = Object.entries(query as Record<string, unknown>)
  return Object.fromEntries(
    pairs.filter(
      (pair): pair is [string, string] =>
        typeof pair[1] === 'string' && pair[1].length <= MAX_PARAMETER_LENGTH,
    ),
  )
}

/** A person looks at a browser here, so the page says what is wrong. */
async function refuse(
  parts: ConsoleParts,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: ErrorCode,
): Promise<FastifyReply> {
  await recordRefusal(parts, request, null, { with: 'organisation', reason: problem })
  return reply.redirect(`/signin?problem=${problem}`)
}
