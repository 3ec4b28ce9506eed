// The developer's pages in one chunk; the playground is a chunk of its own, because it carries the SDK.

export { Overview } from './account/overview.tsx'
export { Sessions } from './account/sessions.tsx'
export { Keys } from './keys/keys.tsx'
export { Settings } from './settings/settings.tsx'
