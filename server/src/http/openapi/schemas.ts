// From the schemas of the wire to those of an OpenAPI 3.1 document (JSON Schema 2020-12).

export type JsonSchema = { readonly [keyword: string]: unknown; readonly title?: string }

/** A schema with a title is a component of that name. */
export function referTo(schema: object): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${titleOf(schema)}` }
}

export function titleOf(schema: object): string | undefined {
  return (schema as JsonSchema).title
}

/** The component itself, with the components inside it as references. */
export function componentOf(schema: object): JsonSchema {
  return Object.fromEntries(
    Object.entries(toTuple(schema)).map(([keyword, value]) => [keyword, convert(value)]),
  )
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert)
  if (typeof value !== 'object' || value === null) return value
  return titleOf(value) === undefined ? componentOf(value) : referTo(value)
}

/** The validator uses draft 7, where a tuple is an array of `items`; 2020-12 calls it `prefixItems`. */
function toTuple(schema: object): object {
  const { items, additionalItems: _, ...rest } = schema as JsonSchema
  if (!Array.isArray(items)) return schema
  return { ...rest, prefixItems: items, items: false, minItems: items.length, maxItems: items.length }
}
