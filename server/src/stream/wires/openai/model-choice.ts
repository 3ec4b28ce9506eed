// The model of a connection: in the query of its address, or in the first session update that names one. The code that orders
// the session waits for it, up to a limit.

import { ServiceError } from '@sauti/protocol/errors'
import { isModelId, type ModelId } from '@sauti/protocol/models'
import { chooseModel } from '../../../foreign/find-model.ts'

/** How long a client may take to name a model. */
const PATIENCE_MS = 10_000

export class ModelChoice {
  readonly chosen: Promise<ModelId>
  #model: ModelId | undefined
  #resolve: (model: ModelId) => void = () => undefined
  #reject: (error: ServiceError) => void = () => undefined
  #timer: NodeJS.Timeout | undefined

  constructor(model?: ModelId) {
    this.chosen = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // A caller that waits for it is told; there may be none.
    this.chosen.catch(() => undefined)
    if (model) this.#settle(model)
    else this.#timer = setTimeout(() => this.#fail(), PATIENCE_MS)
  }

  get model(): ModelId | undefined {
    return this.#model
  }

  /** Throws invalid_message for a model that we do not have, or that is not the session's. */
  choose(name: string | undefined, language: string | undefined): ModelId {
    const isForeign = this.#model !== undefined && language === undefined && !isOurs(name)
    const model = isForeign ? this.#model! : find(name, language)
    if (this.#model !== undefined && this.#model !== model) {
      throw new ServiceError('invalid_message', {
        message: `The session has the model ${this.#model}. Open another connection for another model.`,
      })
    }
    this.#settle(model)
    return model
  }

  /** The connection is over. */
  giveUp(): void {
    clearTimeout(this.#timer)
    this.#reject(new ServiceError('session_timeout'))
  }

  #settle(model: ModelId): void {
    clearTimeout(this.#timer)
    this.#model = model
    this.#resolve(model)
  }

  #fail(): void {
    const message = `No session update named a model within ${PATIENCE_MS / 1000} seconds.`
    this.#reject(new ServiceError('session_timeout', { message }))
  }
}

function isOurs(name: string | undefined): boolean {
  return name !== undefined && isModelId(name)
}

function find(name: string | undefined, language: string | undefined): ModelId {
  try {
    return chooseModel(name, language).model
  } catch (error) {
    throw new ServiceError('invalid_message', { message: (error as Error).message })
  }
}
