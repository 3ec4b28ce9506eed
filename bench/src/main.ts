// npm run bench -- NAME [options]: one folder per bench. Figures are of this machine and this moment; what is compared is
// measured side by side in one run.

const BENCHES: Readonly<Record<string, () => Promise<{ run(args: readonly string[]): Promise<unknown> }>>> = {
  all: () => import('./all/all.ts'),
  record: () => import('./all/record-one.ts'),
  engine: () => import('./engine/engine.ts'),
  stream: () => import('./stream/stream.ts'),
  'end-to-end': () => import('./end-to-end/end-to-end.ts'),
  noisy: () => import('./end-to-end/noisy.ts'),
  growth: () => import('./growth/growth.ts'),
  http: () => import('./http/http.ts'),
  floods: () => import('./floods/floods.ts'),
  formats: () => import('./formats/formats.ts'),
  nodes: () => import('./nodes/nodes.ts'),
  'start-up': () => import('./start-up/start-up.ts'),
  plots: () => import('./plots/plots.ts'),
  plan: () => import('./plan/plan.ts'),
  load: () => import('./load/load.ts'),
  endpointing: () => import('./endpointing/endpointing.ts'),
}

const [name, ...args] = process.argv.slice(2)
const load = name === undefined ? undefined : BENCHES[name]
if (load === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join(' | ')}`)
  process.exit(2)
}
await (await load()).run(args)
