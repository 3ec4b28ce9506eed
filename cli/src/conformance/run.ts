// Checks all rules of a run, one after the other, and says whether each holds.

import type { Cost, Rule } from './rule.ts'
import { at, NotSeen, Unmet } from './see.ts'
import { type Target, World } from './world.ts'

export type Verdict = 'kept' | 'broken' | 'not seen'

export interface Finding {
  readonly id: string
  readonly section: string
  readonly text: string
  readonly verdict: Verdict
  /** What was found instead, or why it could not be seen. */
  readonly found?: string
}

export interface Run {
  readonly findings: readonly Finding[]
  readonly spent: Cost
}

export interface RunOptions {
  readonly rules: readonly Rule[]
  readonly slow: boolean
  /** Progress, a line at a time. */
  readonly tell: (line: string) => void
}

/** What a run uses of the account at most. */
export function costOf(rules: readonly Rule[], slow: boolean): Cost {
  const played = rules.map(({ scene }) => scene).filter(scene => slow || !scene.slow)
  const scenes = [...new Set(played.flatMap(scene => [scene, ...(scene.needs ?? [])]))]
  return {
    sessions: scenes.reduce((sum, { cost }) => sum + cost.sessions, 0),
    seconds: scenes.reduce((sum, { cost }) => sum + cost.seconds, 0),
  }
}

export async function run(target: Target, { rules, slow, tell }: RunOptions): Promise<Run> {
  const world = new World(target, tell)
  await knock(world)
  const before = await consumedMs(world)
  const findings: Finding[] = []
  for (const rule of rules) findings.push(await judge(world, rule, slow))
  const seconds = ((await consumedMs(world)) - before) / 1000
  return { findings, spent: { sessions: world.sessionsCreated, seconds } }
}

/** Nothing answered, or the key was refused: no rule could be checked. */
export class NotAdmitted extends Error {}

async function knock(world: World): Promise<void> {
  const { status, json } = await world.usage().catch(cause => {
    throw new NotAdmitted(`${world.target.url} does not answer: ${describe(cause)}`, { cause })
  })
  if (status === 401 || status === 403)
    throw new NotAdmitted(String(at(json, 'error.message') ?? `status ${status}`))
}

async function judge(world: World, rule: Rule, slow: boolean): Promise<Finding> {
  const { id, section, text, scene } = rule
  const told = { id, section, text }
  if (scene.slow && !slow) return { ...told, verdict: 'not seen', found: 'takes more than a minute: --slow' }
  try {
    rule.look(await world.play(scene))
    return { ...told, verdict: 'kept' }
  } catch (error) {
    if (error instanceof NotSeen) return { ...told, verdict: 'not seen', found: error.message }
    if (error instanceof Unmet) return { ...told, verdict: 'broken', found: error.message }
    return { ...told, verdict: 'broken', found: `"${scene.name}" could not be run: ${describe(error)}` }
  }
}

function describe(error: unknown): string {
  return error instanceof Error
    ? error.message || String((error as NodeJS.ErrnoException).code)
    : String(error)
}

async function consumedMs(world: World): Promise<number> {
  return Number(at((await world.usage()).json, 'consumed_ms') ?? 0)
}
