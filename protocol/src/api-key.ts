// How an API key begins (spec 2). Apart from the schemas, because the command needs it and starts faster without them.

export const API_KEY_PREFIX = 'svc_live_v1_'
