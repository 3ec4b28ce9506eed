// Requests are checked against their route's schema. A check is compiled when the first request needs it: compiling those of all routes
// took a tenth of the CPU time until the service was ready.

import buildAjvFactory, { type BuildCompilerFromPool } from '@fastify/ajv-compiler'

type Check = ReturnType<ReturnType<BuildCompilerFromPool>>

export function compileWhenNeeded(): BuildCompilerFromPool {
  const buildCompiler = buildAjvFactory()
  return (schemas, options) => {
    const compile = buildCompiler(schemas, options)
    return part => checkWith(() => compile(part))
  }
}

function checkWith(compile: () => Check): Check {
  let compiled: Check | undefined
  const check = (data: unknown) => {
    compiled ??= compile()
    const result = compiled(data)
    // This is where Fastify looks for what is wrong.
    check.errors = compiled.errors
    return result
  }
  check.errors = undefined as Check['errors']
  return check as Check
}
