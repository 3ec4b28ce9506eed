// Makes Node unable to find the decoder of AAC, as where no operator has installed it.
import { register } from 'node:module'

const hooks = `export async function resolve(specifier, context, next) {
  if (specifier !== '@audio/decode-aac') return next(specifier, context)
  throw Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' })
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
