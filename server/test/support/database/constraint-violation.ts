// What a constraint of the database refused.

/** SQLSTATE of what a constraint refused, with the constraint's name. */
export interface ConstraintViolation {
  readonly sqlState: '23505' | '23514' | '23503'
  readonly constraint: string
}

export function constraintViolation(error: unknown): ConstraintViolation | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, constraint } = error as Error & { code?: string; constraint?: string }
  if (code !== '23505' && code !== '23514' && code !== '23503') return undefined
  return { sqlState: code, constraint: constraint ?? '' }
}
