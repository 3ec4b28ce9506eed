// The page behind /docs, from the OpenAPI description to HTML.

import { ERRORS, type ErrorEntry } from '@sauti/protocol/errors'
import { code, escapeHtml, prose, table } from './docs-html.ts'
import { renderStream } from './docs-stream.ts'
import { STYLE } from './docs-style.ts'
import type { ApiDescription } from './openapi.ts'
import type { JsonSchema } from './openapi-schemas.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly { name: string; description: string; required: boolean }[]
  readonly requestBody?: { content: { 'application/json': { schema: JsonSchema } } }
  readonly responses: Record<
    string,
    { description: string; content?: { 'application/json': { schema: JsonSchema } } }
  >
}

export function renderReference(api: ApiDescription): string {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method,
      path,
      operation: operation as Operation,
    })),
  )
  const links = operations.map(
    ({ method, path, operation }) =>
      `<li><span class="method">${method.toUpperCase()}</span> <a href="#${operation.operationId}">${escapeHtml(path)}</a></li>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(api.info.title)} API reference</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escapeHtml(api.info.title)} API</h1>
${prose(api.info.description)}
<p class="soft">Version ${api.info.version} · ${code(api.servers[0]!.url)} · <a href="/openapi.json">openapi.json</a></p>
</header>
<nav aria-label="Contents"><ul>${links.join('')}<li><a href="#stream">The stream</a></li><li><a href="#objects">Objects</a></li><li><a href="#errors">Errors</a></li></ul></nav>
<main>
${renderStart(api.servers[0]!.url)}
${operations.map(({ method, path, operation }) => renderOperation(method, path, operation)).join('\n')}
${renderStream()}
${renderObjects(api.components.schemas)}
${renderErrors()}
</main>
</body>
</html>
`
}

function renderStart(url: string): string {
  const example = `curl ${url}/v1/asr/sessions \\
  -H "Authorization: Bearer $SAUTI_API_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: $(uuidgen)" \\
  -d '{"model": "svc-asr-kikuyu-v1", "max_audio_seconds": 60}'`
  return `<h2 id="start">Start</h2>
${prose('Your server creates a session with its API key and relays the answer to the client, which opens the WebSocket.')}
<pre tabindex="0"><code>${escapeHtml(example)}</code></pre>`
}

function renderOperation(method: string, path: string, operation: Operation): string {
  const { operationId, summary, description, security, parameters, requestBody, responses } = operation
  const parts = [
    `<h2 id="${operationId}">${escapeHtml(summary)}</h2>`,
    `<p><span class="method">${method.toUpperCase()}</span> ${code(path)}</p>`,
    description ? prose(description) : '',
    security ? prose('Needs `Authorization: Bearer <API_KEY>`.') : '',
    parameters
      ? `<h3>Headers</h3>${table(
          ['Name', ''],
          parameters.map(({ name, description }) => [code(name), prose(description)]),
        )}`
      : '',
    requestBody ? `<h3>Body</h3><p>${linkToObject(requestBody.content['application/json'].schema)}</p>` : '',
    '<h3>Answers</h3>',
    table(
      ['Status', ''],
      Object.entries(responses).map(([status, { description, content }]) => [
        code(status),
        `${prose(description)}${content ? `<p>${linkToObject(content['application/json'].schema)}</p>` : ''}`,
      ]),
    ),
  ]
  return `<section>${parts.join('\n')}</section>`
}

function renderObjects(objects: Record<string, JsonSchema>): string {
  const sections = Object.entries(objects).map(([name, schema]) => {
    const rows = listFields(schema).map(({ path, type, required, description }) => [
      code(path),
      type,
      `${required ? '' : '<span class="soft">optional. </span>'}${description}`,
    ])
    return `<h3 id="object-${name}">${name}</h3>${table(['Field', 'Type', ''], rows)}`
  })
  return `<h2 id="objects">Objects</h2>${sections.join('\n')}`
}

interface Field {
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

function listFields(schema: JsonSchema, prefix = ''): Field[] {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const required = (schema.required ?? []) as readonly string[]
  return Object.entries(properties).flatMap(([name, field]) => [
    {
      path: prefix + name,
      type: typeOf(field),
      required: required.includes(name),
      description: escapeHtml(String(field.description ?? '')),
    },
    ...listFields(field, `${prefix}${name}.`),
  ])
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref) return linkToObject(schema)
  if ('const' in schema) return code(JSON.stringify(schema.const))
  if (Array.isArray(schema.enum)) return schema.enum.map(value => code(JSON.stringify(value))).join(' ')
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(typeOf).join(' or ')
  if (Array.isArray(schema.prefixItems)) return `[${schema.prefixItems.map(typeOf).join(', ')}]`
  if (schema.type === 'array')
    return `array of ${typeOf(schema.items as JsonSchema)}${schema.maxItems ? `, at most ${schema.maxItems}` : ''}`
  return escapeHtml([schema.type, schema.format, rangeOf(schema)].filter(Boolean).join(', '))
}

function rangeOf({ minimum, maximum, default: preset }: JsonSchema): string {
  const range =
    maximum !== undefined ? `${minimum} to ${maximum}` : minimum !== undefined ? `at least ${minimum}` : ''
  return preset === undefined ? range : `${range}, default ${preset}`
}

function linkToObject({ $ref }: JsonSchema): string {
  const name = String($ref).split('/').at(-1)!
  return `<a href="#object-${name}">${name}</a>`
}

function renderErrors(): string {
  const rows = Object.entries<ErrorEntry>(ERRORS)
    .filter(([, entry]) => entry.http && !entry.console)
    .map(([name, { http, message }]) => [
      code(String(http!.status)),
      code(http!.type),
      code(name),
      escapeHtml(message),
    ])
  return `<h2 id="errors">Errors</h2>
${prose('Look at `code`: it is stable. `message` is safe to show. Retry 429 and 503 after `Retry-After` seconds, with growing pauses and the same `Idempotency-Key`.')}
${table(['Status', 'Type', 'Code', 'Message'], rows)}`
}
