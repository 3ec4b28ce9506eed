// Every request of the pages to their own server goes through here: JSON both ways, cookies by themselves, one error type.

import { CONSOLE_API } from '@sauti/protocol/console-rules'
import type { ErrorBody } from '@sauti/protocol/http'

export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined

  constructor(status: number, code: string, message: string, requestId?: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.requestId = requestId
  }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export async function call<Answer>(method: Method, path: string, body?: unknown): Promise<Answer> {
  const response = await send(method, `${CONSOLE_API}${path}`, body)
  const answer = response.status === 204 ? undefined : await response.json().catch(() => undefined)
  if (response.ok) return answer as Answer
  throw refusal(response.status, answer as ErrorBody | undefined)
}

export const get = <Answer>(path: string) => call<Answer>('GET', path)
export const post = <Answer>(path: string, body: unknown = {}) => call<Answer>('POST', path, body)

async function send(method: Method, url: string, body: unknown): Promise<Response> {
  const hasBody = method === 'POST' || method === 'PATCH'
  const content = hasBody
    ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) }
    : {}
  try {
    return await fetch(url, { method, credentials: 'same-origin', ...content })
  } catch {
    throw new ApiError(0, 'unreachable', 'The server cannot be reached. Check the connection and try again.')
  }
}

function refusal(status: number, body: ErrorBody | undefined): ApiError {
  const error = body?.error
  if (error === undefined) return new ApiError(status, 'internal_error', 'Something went wrong on our side.')
  return new ApiError(status, error.code, error.message, error.request_id)
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError(0, 'unexpected', error instanceof Error ? error.message : String(error))
}
