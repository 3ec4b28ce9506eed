// The developer's pages in one piece; the playground comes by itself, because it carries the SDK.

export { Keys } from './keys.tsx'
export { Overview } from './overview.tsx'
export { Settings } from './settings.tsx'
