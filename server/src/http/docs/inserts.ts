// The parts of the documentation that come from the code itself, so that they are never out of date.

import { ERRORS, type ErrorEntry } from '@sauti/protocol/errors'
import { CLIENT_MESSAGES, SERVER_EVENTS } from '@sauti/protocol/stream-schemas'
import type { Setting } from '../../settings/setting.ts'
import { SETTING_GROUPS } from '../../settings/table.ts'
import { describeApi } from '../openapi/document.ts'
import type { JsonSchema } from '../openapi/schemas.ts'
import { renderFigures } from './figures.ts'
import { code, escapeHtml, heading, prose, table, words } from './html.ts'
import { listFields, renderObjects, renderOperations } from './http-reference.ts'
import { slugOf } from './markdown.ts'

export function createInserts(publicUrl: string): Readonly<Record<string, () => string>> {
  const api = describeApi(publicUrl)
  return {
    operations: () => renderOperations(api.paths, publicUrl),
    'model-figures': renderFigures,
    objects: () => renderObjects(api.components.schemas),
    errors: renderErrors,
    closes: renderCloses,
    warnings: renderWarnings,
    'client-messages': () => CLIENT_MESSAGES.map(renderMessage).join('\n'),
    'server-events': () => SERVER_EVENTS.map(renderMessage).join('\n'),
    settings: renderSettings,
  }
}

const entries = Object.entries<ErrorEntry>(ERRORS)

function renderErrors(): string {
  const rows = entries
    .filter(([, entry]) => entry.http && !entry.console)
    .map(([name, { http, message }]) => [
      code(name),
      escapeHtml(message),
      String(http!.status),
      code(http!.type),
    ])
  // What people look for comes first: on a phone the last columns are out of sight.
  return table(['Code', 'Message', 'Status', 'Type'], rows)
}

function renderCloses(): string {
  const rows = entries
    .filter(([, entry]) => entry.close !== undefined)
    .sort(([, a], [, b]) => a.close! - b.close!)
    .map(([name, { close, message }]) => [String(close), code(name), escapeHtml(message)])
  return table(['Close code', 'Reason', 'Meaning'], rows)
}

function renderWarnings(): string {
  const rows = entries
    .filter(([name, entry]) => (!entry.http && !entry.close) || name === 'invalid_json')
    .map(([name, { message }]) => [code(name), escapeHtml(message)])
  return table(['Code', 'Meaning'], rows)
}

function renderMessage(schema: object): string {
  const { title, description, properties } = schema as JsonSchema & {
    properties: { type: { const: string } }
    description: string
  }
  const rows = listFields(schema as JsonSchema)
    .filter(({ path }) => path !== 'type')
    .map(({ path, type, required, description: meaning }) => [
      code(path),
      type,
      `${required ? '' : '<span class="muted">Optional. </span>'}${meaning}`,
    ])
  const fields = rows.length === 0 ? '' : table(['Field', 'Type', 'Meaning'], rows)
  return `${heading(title!.toLowerCase(), code(properties.type.const))}${prose(description)}${fields}`
}

function renderSettings(): string {
  return SETTING_GROUPS.map(
    ({ title, settings }) =>
      `${heading(slugOf(`settings ${title}`), title)}${table(['Variable', 'Description'], Object.values(settings).map(describeSetting))}`,
  ).join('\n')
}

function describeSetting({ variable, fallbackText, description }: Setting<unknown>): readonly string[] {
  const preset = fallbackText === '' ? '' : ` <span class="default">Default: ${code(fallbackText)}</span>`
  return [code(variable), `${words(description)}${preset}`]
}
