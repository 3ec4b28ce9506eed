// The HTTP reference: operations and objects of the OpenAPI description as HTML.

import type { ApiDescription } from '../openapi.ts'
import type { JsonSchema } from '../openapi-schemas.ts'
import { code, escapeHtml, prose, table } from './html.ts'

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

export function renderOperations(paths: ApiDescription['paths']): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      renderOperation(method, path, operation as Operation),
    ),
  )
  return operations.join('\n')
}

function renderOperation(method: string, path: string, operation: Operation): string {
  const { operationId, summary, description, security, parameters, requestBody, responses } = operation
  const parts = [
    `<h3 id="${operationId}"><span class="method">${method.toUpperCase()}</span> ${code(path)}</h3>`,
    `<p><strong>${escapeHtml(summary)}.</strong></p>`,
    description ? prose(description) : '',
    security ? prose('Needs `Authorization: Bearer <API_KEY>`.') : '',
    parameters
      ? `<h4>Headers</h4>${table(
          ['Name', 'Meaning'],
          parameters.map(({ name, description }) => [code(name), prose(description)]),
        )}`
      : '',
    requestBody ? `<h4>Body</h4><p>${linkToObject(requestBody.content['application/json'].schema)}</p>` : '',
    '<h4>Answers</h4>',
    table(
      ['Status', 'Meaning'],
      Object.entries(responses).map(([status, { description, content }]) => [
        code(status),
        `${prose(description)}${content ? `<p>${linkToObject(content['application/json'].schema)}</p>` : ''}`,
      ]),
    ),
  ]
  return `<section>${parts.join('\n')}</section>`
}

export function renderObjects(objects: Record<string, JsonSchema>): string {
  const sections = Object.entries(objects).map(([name, schema]) => {
    const rows = listFields(schema).map(({ path, type, required, description }) => [
      code(path),
      type,
      `${required ? '' : '<span class="muted">optional. </span>'}${description}`,
    ])
    return `<h3 id="object-${name}">${name}</h3>${table(['Field', 'Type', 'Meaning'], rows)}`
  })
  return sections.join('\n')
}

interface Field {
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

export function listFields(schema: JsonSchema, prefix = ''): Field[] {
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
