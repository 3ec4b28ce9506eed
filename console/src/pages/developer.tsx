// The developer's pages in one chunk; the playground is a chunk of its own, because it carries the SDK.

export { Keys } from './keys.tsx'
export { Overview } from './overview.tsx'
export { Sessions } from './sessions.tsx'
export { Settings } from './settings.tsx'
