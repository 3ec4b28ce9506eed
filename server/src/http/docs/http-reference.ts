// The HTTP reference: operations and objects of the OpenAPI description as HTML.

import type { ApiDescription } from '../openapi/document.ts'
import type { JsonSchema } from '../openapi/schemas.ts'
import { EXAMPLES, type Example } from './examples.ts'
import { codeBlock } from './highlight.ts'
import { code, escapeHtml, heading, prose, table, words } from './html.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly { name: string; description: string; required: boolean }[]
  readonly requestBody?: { content: Content }
  readonly responses: Record<string, { description: string; content?: Content }>
}

/** Schemas by media type. */
type Content = Record<string, { schema: JsonSchema }>

export function renderOperations(paths: ApiDescription['paths'], publicUrl: string): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      renderOperation(method, path, operation as Operation, publicUrl),
    ),
  )
  return operations.join('\n')
}

function renderOperation(method: string, path: string, operation: Operation, publicUrl: string): string {
  const { operationId, summary, description, security, parameters, requestBody, responses } = operation
  const parts = [
    heading(operationId, escapeHtml(summary)),
    `<p class="endpoint"><span class="method">${method.toUpperCase()}</span> ${code(path)}</p>`,
    description ? prose(description) : '',
    security ? prose('Requires `Authorization: Bearer <API_KEY>`.') : '',
    renderExample(EXAMPLES[operationId], publicUrl),
    parameters
      ? `<h4>Parameters</h4>${table(
          ['Name', 'Meaning'],
          parameters.map(({ name, description }) => [code(name), prose(description)]),
        )}`
      : '',
    requestBody ? `<h4>Body</h4>${renderContent(requestBody.content)}` : '',
    renderResponses(responses),
  ]
  return `<section class="operation">${parts.join('\n')}</section>`
}

/** All errors of an operation have the same body, so it is named once. */
function renderResponses(responses: Operation['responses']): string {
  const rows = Object.entries(responses).map(([status, { description, content }]) => [
    code(status),
    `${prose(description)}${content && !isError(status) ? renderContent(content) : ''}`,
  ])
  const failed = Object.entries(responses).find(([status, { content }]) => content && isError(status))
  return `<h4>Status codes</h4><div class="responses">${table(['Status', 'Meaning'], rows)}</div>${renderErrorNote(failed?.[1].content)}`
}

function isError(status: string): boolean {
  return Number(status) >= 400
}

/** What each form of an error has of the codes above it. */
const CODES_OF: Readonly<Record<string, string>> = {
  Error: `with one of the codes above in ${code('error.code')}`,
  ListenError: `with Deepgram's name of the status in ${code('err_code')}`,
}

function renderErrorNote(content: Content | undefined): string {
  const schema = content?.['application/json']?.schema
  if (schema?.$ref === undefined) return ''
  const codes = CODES_OF[nameOfObject(schema)]!
  return `<p class="small muted">An error has the body ${linkToObject(schema)}, ${codes}.</p>`
}

function renderContent(content: Content): string {
  const bodies = Object.entries(content).map(([mediaType, { schema }]) => {
    if (mediaType === 'application/json') return `<p>${typeOf(schema)}</p>`
    const description = schema.description ? `: ${words(String(schema.description))}` : ''
    return `<p>${code(mediaType)}${description}</p>${schema.properties ? renderFields(schema) : ''}`
  })
  return bodies.join('')
}

function renderExample(example: Example | undefined, publicUrl: string): string {
  if (example === undefined) return ''
  const fill = (text: string) =>
    text
      .replaceAll('{{base_url}}', publicUrl)
      .replaceAll('wss://sauti.example.org', publicUrl.replace(/^http/, 'ws'))
  const request = `<h4>Request</h4>${codeBlock(fill(`curl ${example.request}`), 'sh')}`
  if (example.response === undefined) return request
  return `${request}<h4>Response</h4>${codeBlock(fill(printJson(example.response)), 'json')}`
}

/** Short lists of numbers or words stay in one line, as people write them. */
function printJson(value: unknown): string {
  const list = /\[\n\s+((?:[^[\]{}\n]{1,20},\n\s+)*[^[\]{}\n]{1,20})\n\s+\]/g
  return JSON.stringify(value, null, 2).replaceAll(
    list,
    (_, items: string) => `[${items.replaceAll(/\n\s+/g, ' ')}]`,
  )
}

export function renderObjects(objects: Record<string, JsonSchema>): string {
  const sections = Object.entries(objects).map(
    ([name, schema]) =>
      `<section class="object">${heading(`object-${name}`, name)}${renderFields(schema)}</section>`,
  )
  return sections.join('\n')
}

function renderFields(schema: JsonSchema): string {
  const rows = listFields(schema).map(({ path, type, required, description }) => [
    // Where a long name may break, so that it does not squeeze the other columns.
    code(path).replaceAll('[].', '[].<wbr>'),
    type,
    `${required ? '' : '<span class="muted">Optional. </span>'}${description}`,
  ])
  return table(['Field', 'Type', 'Meaning'], rows)
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
      description: words(String(field.description ?? '')),
    },
    ...listInnerFields(field, prefix + name),
  ])
}

/** Of an object, of one that is one choice among others, or of the objects in a list. */
function listInnerFields(field: JsonSchema, path: string): Field[] {
  const items = field.items as JsonSchema | undefined
  if (items?.properties) return listFields(items, `${path}[].`)
  const choices = (field.oneOf ?? field.anyOf ?? [field]) as readonly JsonSchema[]
  return choices.flatMap(choice => listFields(choice, `${path}.`))
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref) return linkToObject(schema)
  if ('const' in schema) return code(JSON.stringify(schema.const))
  if (Array.isArray(schema.enum)) return schema.enum.map(value => code(JSON.stringify(value))).join(' or ')
  const choices = schema.oneOf ?? schema.anyOf
  if (Array.isArray(choices)) return choices.map(typeOf).join(' or ')
  const tuple = schema.prefixItems ?? schema.items
  if (Array.isArray(tuple)) return `[${tuple.map(typeOf).join(', ')}]`
  if (schema.type === 'array')
    return `array of ${typeOf(schema.items as JsonSchema)}${schema.maxItems ? `, at most ${schema.maxItems}` : ''}`
  return escapeHtml([schema.type ?? 'any', schema.format, rangeOf(schema)].filter(Boolean).join(', '))
}

function rangeOf({ minimum, maximum, default: preset }: JsonSchema): string {
  const range =
    maximum !== undefined ? `${minimum} to ${maximum}` : minimum !== undefined ? `at least ${minimum}` : ''
  return preset === undefined ? range : `${range}, default ${preset}`
}

function linkToObject(schema: JsonSchema): string {
  const name = nameOfObject(schema)
  return `<a href="#object-${name}">${name}</a>`
}

function nameOfObject({ $ref }: JsonSchema): string {
  return String($ref).split('/').at(-1)!
}
