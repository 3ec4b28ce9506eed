// What a wrong service changes: answers, events, closes. The lists beside this file say which, and which rule must notice.

import type { Exchange, Fault, Loose } from '../wrong-service.ts'

export interface Mutation {
  readonly name: string
  /** The rule that must break; others may. */
  readonly rule: string
  readonly fault: Fault
}

export const MODELS = 'GET /v1/models'
export const SESSIONS = 'POST /v1/asr/sessions'
export const USAGE = 'GET /v1/usage'

/** Changes the JSON of answers to one route. */
export function body(
  route: string,
  change: (json: Loose, exchange: Exchange) => void,
  status?: number,
): Fault {
  return {
    answer(exchange) {
      if (`${exchange.method} ${exchange.path}` !== route) return
      if (status !== undefined && exchange.status !== status) return
      const json = JSON.parse(exchange.body)
      change(json, exchange)
      exchange.body = JSON.stringify(json)
    },
  }
}

export function answer(when: (exchange: Exchange) => boolean, change: (exchange: Exchange) => void): Fault {
  return {
    answer(exchange) {
      if (when(exchange)) change(exchange)
    },
  }
}

function ofCode(code: string, change: (exchange: Exchange) => void): Fault {
  return answer(({ body: text }) => text.includes(`"${code}"`), change)
}

export function renamed(code: string, other: string): Fault {
  return ofCode(code, exchange => {
    exchange.body = exchange.body.replace(`"code":"${code}"`, `"code":"${other}"`)
  })
}

export function status(code: string, other: number): Fault {
  return ofCode(code, exchange => {
    exchange.status = other
  })
}

/** Changes events of one type. */
export function events(
  type: string,
  change: (event: Loose) => readonly (Loose | Buffer | string)[] | undefined,
): Fault {
  return { event: event => (event.type === type ? (change(event) ?? [event]) : [event]) }
}

export function set(type: string, changes: Loose): Fault {
  return events(type, event => [{ ...event, ...changes }])
}

/** Answers a message of the client in the service's place. */
export function inPlace(message: string, replies: readonly Loose[]): Fault {
  const isIt = (data: Buffer, isBinary: boolean) => !isBinary && String(data).includes(message)
  return {
    reply: (data, isBinary) => (isIt(data, isBinary) ? replies : []),
    frame: (data, isBinary) => (isIt(data, isBinary) ? [] : [isBinary ? data : String(data)]),
  }
}

export function closes(code: number, other: { code?: number; reason?: string }): Fault {
  return { close: closing => (closing.code === code ? { ...closing, ...other } : closing) }
}

/** Changes what the list of usage says of sessions that are over. */
export function billed(change: (session: Loose) => void): Fault {
  return body(USAGE, ({ recent_sessions: sessions }) => {
    for (const session of sessions) if (session.completed_at !== null) change(session)
  })
}
