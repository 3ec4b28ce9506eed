// Every request of the pages to their own server goes through here: JSON both ways, cookies by themselves, one error type.

import { CONSOLE_API } from '@sauti/protocol/console-rules'
import type { ErrorBody } from '@sauti/protocol/http'
import { ApiError } from './api-error.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export async function call<Answer>(method: Method, path: string, body?: unknown): Promise<Answer> {
  const response = await send(method, `${CONSOLE_API}${path}`, body)
  const answer = response.status === 204 ? undefined : await response.json().catch(() => undefined)
  if (response.ok) return answer as Answer
  const error = refusal(response.status, answer as ErrorBody | undefined)
  // Asked for once: the confirmation itself never needs one.
  if (error.code === 'confirmation_required' && (await askToConfirm()))
    return call<Answer>(method, path, body)
  throw error
}

/** Loaded when it is needed, which is rare. */
async function askToConfirm(): Promise<boolean> {
  const { askForPassword } = await import('./confirm-password.tsx')
  return askForPassword(password => call('POST', '/confirm', { password }))
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
    throw new ApiError(0, 'unreachable', 'The server cannot be reached. Check your connection and try again.')
  }
}

function refusal(status: number, body: ErrorBody | undefined): ApiError {
  const error = body?.error
  if (error === undefined) return new ApiError(status, 'internal_error', 'Something went wrong on our side.')
  return new ApiError(status, error.code, error.message, error.request_id)
}
