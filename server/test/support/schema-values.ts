// Values that match a JSON schema, and values that nearly match it: what a client sends by mistake.

import fc from 'fast-check'

// biome-ignore lint/suspicious/noExplicitAny: a schema is any JSON.
export type Schema = Record<string, any>

/** For the keywords that our schemas use. Patterns are ignored: such values are nearly valid. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf))
  switch (schema.type) {
    case 'object':
      return objectsOf(schema)
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), { maxLength: Math.min(schema.maxItems ?? 3, 3) })
    case 'string':
      return stringsOf(schema)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -5, max: schema.maximum ?? 1_000_000 })
    case 'number':
      return fc.double({ min: schema.minimum ?? -5, max: schema.maximum ?? 1_000_000, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue({ maxDepth: 1 })
  }
}

function objectsOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries<Schema>(properties).map(([name, schema]) => [name, valuesOf(schema)]),
  )
  return fc.record(fields, { requiredKeys: required })
}

function stringsOf({ minLength = 0, maxLength = 60, format, examples }: Schema): fc.Arbitrary<unknown> {
  if (examples) return fc.constantFrom(...examples)
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map(date => date.toISOString())
  return fc.oneof(
    fc.string({ minLength, maxLength: Math.min(maxLength, 60) }),
    fc.emailAddress().filter(text => text.length <= maxLength && text.length >= minLength),
  )
}

const ODD_TEXTS = [
  '',
  '\u0000',
  'a\u0000b',
  '\u001b[31m',
  '\ud800',
  "' OR 1=1 --",
  '9'.repeat(40),
  '‮',
  'x'.repeat(3000),
]

/** Values of the wrong kind. */
export const oddValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...ODD_TEXTS, null, true, -1, 0.5, 1e21, Number.MAX_SAFE_INTEGER, [], {}, [[]], {
    a: {},
  }),
  fc.jsonValue({ maxDepth: 2 }),
)

/** One thing is wrong: a field is missing, one too many, or of another kind. */
export function nearly(schema: Schema): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {})
  const name = fc.constantFrom(...names, '__proto__', 'constructor', 'extra')
  return fc.tuple(valuesOf(schema), name, fc.option(oddValues)).map(([value, changed, odd]) => {
    if (typeof value !== 'object' || value === null) return odd
    const copy: Record<string, unknown> = { ...value }
    if (odd === null) delete copy[changed]
    else
      Object.defineProperty(copy, changed, {
        value: odd,
        enumerable: true,
        configurable: true,
        writable: true,
      })
    return copy
  })
}
