// OpenAI's realtime transcription at its address: `wss://HOST/v1/realtime?intent=transcription`, with the API key in a header or as a
// subprotocol. A model of ours in the query is paid for at the handshake; otherwise the first session update names it.

import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@sauti/protocol/errors'
import { isModelId } from '@sauti/protocol/models'
import type { KeyHolder } from '../../../accounts/keys.ts'
import type { Admission, Credit, Wire } from '../../dialect.ts'
import { offeredSubprotocols } from '../../upgrade.ts'
import { KeyAdmission, type KeyAdmissionParts } from '../key-admission.ts'
import { queryOf } from '../query.ts'
import { MAX_MESSAGE_BYTES, OpenAiDialect } from './dialect.ts'
import { openAiErrorBody } from './errors.ts'
import { ModelChoice } from './model-choice.ts'

const PATH = '/v1/realtime'
const AUTHORIZATION = /^bearer (\S+)$/i
const SUBPROTOCOL = 'realtime'
const KEY_SUBPROTOCOL = 'openai-insecure-api-key.'
/** Connections of one account that have not named a model yet: they hold no session, so nothing else counts them. */
const MAX_UNDECIDED = 4

export function createOpenAiWire(parts: KeyAdmissionParts): Wire {
  const admission = new KeyAdmission('openai', parts)
  const undecided = new Undecided()
  return {
    path: PATH,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    async admit(request): Promise<Admission> {
      const subprotocols = offeredSubprotocols(request)
      const holder = await admission.authenticate(request, offeredKey(request, subprotocols))
      const name = queryOf(request).get('model')
      const choice = new ModelChoice(name !== null && isModelId(name) ? name : undefined)
      const credit = choice.model
        ? await admission.order(holder, choice.model)
        : undecided.count(holder, choice, lateCredit(admission, holder, choice))
      return {
        subprotocol: subprotocols.includes(SUBPROTOCOL) ? SUBPROTOCOL : undefined,
        dialect: new OpenAiDialect({ choice, newId: parts.newId }),
        credit,
      }
    },
    refusalBody: openAiErrorBody,
  }
}

/** Ordered when the model is known. */
function lateCredit(admission: KeyAdmission, holder: KeyHolder, choice: ModelChoice): Credit {
  let ordered: Credit | undefined
  return {
    async open() {
      ordered = await admission.order(holder, await choice.chosen)
      return ordered.open()
    },
    giveUp() {
      choice.giveUp()
      ordered?.giveUp?.()
    },
    extend: session => ordered!.extend!(session),
  }
}

class Undecided {
  readonly #byAccount = new Map<string, number>()

  /** Throws 429 where there are too many already. */
  count({ accountId }: KeyHolder, choice: ModelChoice, credit: Credit): Credit {
    const before = this.#byAccount.get(accountId) ?? 0
    if (before >= MAX_UNDECIDED) {
      choice.giveUp()
      throw new ServiceError('concurrency_limit_exceeded')
    }
    this.#byAccount.set(accountId, before + 1)
    const leave = () => this.#leave(accountId)
    choice.chosen.then(leave, leave)
    return credit
  }

  #leave(accountId: string): void {
    const left = this.#byAccount.get(accountId)! - 1
    if (left > 0) this.#byAccount.set(accountId, left)
    else this.#byAccount.delete(accountId)
  }
}

/** A browser cannot set headers, so it offers the key as one of the subprotocols. */
function offeredKey({ headers }: IncomingMessage, subprotocols: readonly string[]): string | undefined {
  const offered = subprotocols.find(one => one.startsWith(KEY_SUBPROTOCOL))
  return offered?.slice(KEY_SUBPROTOCOL.length) ?? AUTHORIZATION.exec(headers.authorization ?? '')?.[1]
}
