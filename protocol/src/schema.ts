// JSON Schemas as plain objects that know the TypeScript type of what they describe: the few forms that our interfaces use. A library for all forms
// was half of the files that the service loads when it starts (373 of 731).

declare const described: unique symbol
const optional: unique symbol = Symbol('optional')

export interface Schema<Value = unknown> {
  readonly [keyword: string]: unknown
  /** For the compiler alone. */
  readonly [described]: Value
}

export interface LiteralSchema<Value> extends Schema<Value> {
  readonly const: Value
}

export interface ObjectSchema<P extends Properties> extends Schema<ValueOf<P>> {
  readonly properties: P
}

export interface OptionalMark {
  readonly [optional]: true
}

/** The type of the values that a schema describes. */
export type Static<S extends Schema> = S[typeof described]

export type Properties = Readonly<Record<string, Schema>>

type ValueOf<P extends Properties> = Merged<
  { [K in keyof P as P[K] extends OptionalMark ? never : K]: Static<P[K]> } & {
    [K in keyof P as P[K] extends OptionalMark ? K : never]?: Static<P[K]>
  }
>

/** Both parts as one object, which is what an editor then shows. */
type Merged<T> = { [K in keyof T]: T[K] }

/** What a schema may say beside its form. */
interface Keywords {
  readonly title?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly uniqueItems?: boolean
  readonly additionalProperties?: boolean
}

const schemaOf = <Value>(form: object, keywords?: Keywords) => ({ ...form, ...keywords }) as Schema<Value>

export const Type = {
  String: (keywords?: Keywords) => schemaOf<string>({ type: 'string' }, keywords),
  Integer: (keywords?: Keywords) => schemaOf<number>({ type: 'integer' }, keywords),
  Number: (keywords?: Keywords) => schemaOf<number>({ type: 'number' }, keywords),
  Boolean: (keywords?: Keywords) => schemaOf<boolean>({ type: 'boolean' }, keywords),
  Null: () => schemaOf<null>({ type: 'null' }),
  Unknown: () => schemaOf<unknown>({}),

  Literal: <const Value extends string | number | boolean>(value: Value, keywords?: Keywords) =>
    schemaOf<Value>({ type: typeof value, const: value }, keywords) as LiteralSchema<Value>,

  Enum: <const Value extends string | number>(values: readonly Value[], keywords?: Keywords) =>
    schemaOf<Value>({ enum: values }, keywords),

  Union: <S extends Schema>(anyOf: readonly S[], keywords?: Keywords) =>
    schemaOf<Static<S>>({ anyOf }, keywords),

  Array: <S extends Schema>(items: S, keywords?: Keywords) =>
    schemaOf<Static<S>[]>({ type: 'array', items }, keywords),

  Tuple: <S extends readonly Schema[]>(items: readonly [...S], keywords?: Keywords) =>
    schemaOf<{ -readonly [K in keyof S]: Static<S[K]> }>(
      { type: 'array', additionalItems: false, items, minItems: items.length },
      keywords,
    ),

  /** Any names, all with such values. */
  Record: <S extends Schema>(values: S) =>
    schemaOf<Record<string, Static<S>>>({ type: 'object', patternProperties: { '^.*$': values } }),

  Object: <P extends Properties>(properties: P, keywords?: Keywords) => {
    const required = Object.keys(properties).filter(name => !(optional in properties[name]!))
    const form = { type: 'object', ...(required.length > 0 && { required }), properties }
    return schemaOf<ValueOf<P>>(form, keywords) as ObjectSchema<P>
  },

  /** A property that may be absent. */
  Optional: <S extends Schema>(schema: S): S & OptionalMark => ({ ...schema, [optional]: true }),
}
