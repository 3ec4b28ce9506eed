// npm run bench -- NAME [options]: what is measured, one folder each. Figures are of this machine and this moment; what is compared is
// measured side by side in one run.

const BENCHES: Readonly<Record<string, () => Promise<{ run(args: readonly string[]): Promise<void> }>>> = {
  engine: () => import('./engine/engine.ts'),
  stream: () => import('./stream/stream.ts'),
  'end-to-end': () => import('./end-to-end/end-to-end.ts'),
  noisy: () => import('./end-to-end/noisy.ts'),
  growth: () => import('./end-to-end/growth.ts'),
  http: () => import('./http/http.ts'),
  floods: () => import('./floods/floods.ts'),
  formats: () => import('./formats/formats.ts'),
  nodes: () => import('./nodes/nodes.ts'),
  plan: () => import('./plan/plan.ts'),
  endpointing: () => import('./endpointing/endpointing.ts'),
}

const [name, ...args] = process.argv.slice(2)
const load = name === undefined ? undefined : BENCHES[name]
if (load === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join(' | ')}`)
  process.exit(2)
}
await (await load()).run(args)
