// How a rule checks what was recorded. It throws `Unmet` where the deployment broke the rule, and `NotSeen` where the rule cannot be
// checked on this deployment.

export class Unmet extends Error {}
export class NotSeen extends Error {}

export function see(condition: unknown, found: string): asserts condition {
  if (!condition) throw new Unmet(found)
}

export function same(found: unknown, wanted: unknown, what: string): void {
  see(JSON.stringify(found) === JSON.stringify(wanted), `${what} is ${show(found)}, not ${show(wanted)}`)
}

export function oneOf(found: unknown, wanted: readonly unknown[], what: string): void {
  see(wanted.includes(found), `${what} is ${show(found)}, not one of ${show(wanted)}`)
}

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i
// RFC 3339, which the format date-time names.
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

export function isUuid(found: unknown, what: string): void {
  see(typeof found === 'string' && UUID.test(found), `${what} is not a uuid: ${show(found)}`)
}

export function isDateTime(found: unknown, what: string): void {
  const isTime = typeof found === 'string' && DATE_TIME.test(found) && !Number.isNaN(Date.parse(found))
  see(isTime, `${what} is not a date-time: ${show(found)}`)
}

export function isText(found: unknown, what: string): asserts found is string {
  see(typeof found === 'string' && found !== '', `${what} is not a string: ${show(found)}`)
}

export function isWhole(found: unknown, what: string, least = 0): asserts found is number {
  const isGood = Number.isInteger(found) && Number(found) >= least
  see(isGood, `${what} is not a whole number of at least ${least}: ${show(found)}`)
}

export function isList(found: unknown, what: string): asserts found is readonly unknown[] {
  see(Array.isArray(found), `${what} is not an array: ${show(found)}`)
}

/** The value at a path such as `error.code`; undefined where there is none. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, name) =>
        typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
      value,
    )
}

const MAX_SHOWN = 160

/** Never the whole of a long value: it could hold a credential. */
function show(value: unknown): string {
  const text = (JSON.stringify(value) ?? 'missing').replace(/svc\.auth\.[\w-]+/g, 'svc.auth.…')
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
