// The signed-in person's own things: profile, password, balance and use, and the way out.

import { ChangePasswordRequest, type ConsoleUsage, UpdateProfileRequest } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance } from 'fastify'
import { recordAction } from '../../../accounts/audit.ts'
import { dropPasswordLinks } from '../../../accounts/password-link.ts'
import { describeNewestSignIn } from '../../../accounts/sign-ins.ts'
import { renameUser } from '../../../accounts/users.ts'
import { readUsage } from '../../../ledger/usage.ts'
import { readUsageDays } from '../../../ledger/usage-days.ts'
import { describeUsage } from '../../api/read-usage.ts'
import { requireJson } from '../../json-body.ts'
import type { ConsoleParts } from '../parts.ts'
import { AttemptLimit, passwordRule } from '../sign-in/attempts.ts'
import { describeBrowser } from '../sign-in/browser-name.ts'
import { serveConfirmation } from '../sign-in/confirmation.ts'
import { accountOf, actorOf, memberOf, requireMember } from '../sign-in/member.ts'
import { serveDeleteMe } from './delete-me.ts'
import { describeMe } from './describe-me.ts'

const CHART_DAYS = 30

export function serveMyAccount(app: FastifyInstance, parts: ConsoleParts): void {
  const { db, clock } = parts
  const onRequest = requireMember(parts)
  app.get(`${CONSOLE_API}/me`, { onRequest }, request => describeMe(parts, memberOf(request)))

  app.patch<{ Body: UpdateProfileRequest }>(
    `${CONSOLE_API}/me`,
    { schema: { body: UpdateProfileRequest }, onRequest: [onRequest, requireJson] },
    async request => {
      const member = memberOf(request)
      const name = request.body.name.trim()
      const actor = actorOf(parts, request)
      await db.transaction(async tx => {
        await renameUser(tx, member.id, name, clock())
        await recordAction(tx, { actor, action: 'person.rename', target: member.email, now: clock() })
      })
      return describeMe(parts, { ...member, name })
    },
  )

  app.get(`${CONSOLE_API}/usage`, { onRequest }, async (request): Promise<ConsoleUsage> => {
    const accountId = accountOf(request)
    const now = clock()
    const { available_ms, reserved_ms, consumed_ms, recent_sessions } = describeUsage(
      await readUsage(db, accountId, now),
    )
    const days = await readUsageDays(db, accountId, CHART_DAYS, now)
    return {
      available_ms,
      reserved_ms,
      consumed_ms,
      recent_sessions,
      days: days.map(({ date, audioMs, billableMs, sessions }) => ({
        date,
        audio_ms: audioMs,
        billable_ms: billableMs,
        sessions,
      })),
    }
  })

  // One limit for all of them: several ways to guess must not mean more guesses.
  const attempts = new AttemptLimit(parts, passwordRule(parts.settings.signInFailures))
  servePasswordChange(app, parts, attempts)
  serveDeleteMe(app, parts, attempts)
  serveConfirmation(app, parts, attempts)
}

function servePasswordChange(app: FastifyInstance, parts: ConsoleParts, attempts: AttemptLimit): void {
  const options = {
    schema: { body: ChangePasswordRequest },
    onRequest: [requireMember(parts), requireJson],
  }
  app.post<{ Body: ChangePasswordRequest }>(`${CONSOLE_API}/password`, options, async (request, reply) => {
    const { current_password: current, new_password: next } = request.body
    parts.checkNewPassword(next)
    const undoAttempt = attempts.take(request, memberOf(request).id)
    const cookies = await parts.auth.changePassword(request.headers.cookie ?? '', current, next)
    if (!cookies) throw new ServiceError('wrong_password')
    undoAttempt()
    const actor = actorOf(parts, request)
    await parts.db.transaction(async tx => {
      await dropPasswordLinks(tx, memberOf(request).id)
      // Better Auth ends all sign-ins and makes a new one for this browser.
      await describeNewestSignIn(tx, {
        userId: memberOf(request).id,
        address: parts.clientOf(request.raw),
        browser: describeBrowser(request.headers['user-agent']),
        now: parts.clock(),
      })
      await recordAction(tx, { actor, action: 'password.change', target: actor.email, now: parts.clock() })
    })
    return reply
      .code(204)
      .header('set-cookie', [...cookies])
      .send()
  })
}
