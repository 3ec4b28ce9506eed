// We reach into the insides of a few libraries. They are pinned exactly, and this fails when an update changes what we rely on.

import { readFileSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { betterAuth } from 'better-auth/minimal'
import { binding, initOrt } from 'onnxruntime-node/dist/binding.js'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import * as ws from 'ws'

const PINNED = ['ws', 'prom-client', '@electric-sql/pglite', 'better-auth', 'onnxruntime-node']

describe('libraries that we reach into', () => {
  it.each(PINNED)('%s is pinned to one version', name => {
    const manifest = new URL('../../package.json', import.meta.url)
    const { dependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      dependencies: Record<string, string>
    }
    expect(dependencies[name]).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it('ws: the receiver knows the opcode of the message that it refuses', () => {
    const { Receiver } = ws as unknown as { Receiver: new (options: object) => object }
    expect(new Receiver({})).toHaveProperty('_opcode')
  })

  it('PGlite: start parameters with fsync switched off, and a file system to extend', () => {
    expect(PGlite.defaultStartParams).toContain('-F')
    expect(NodeFS.prototype).toHaveProperty('closeFs')
  })

  it('Better Auth: the context with password hashing and the adapter that changes passwords and sign-ins', async () => {
    const secret = 'x'.repeat(40)
    const { internalAdapter, password } = await betterAuth({ secret, emailAndPassword: { enabled: true } })
      .$context
    const { findCredentialAccount, updatePassword, createAccount, deleteUserSessions } = internalAdapter
    for (const method of [findCredentialAccount, updatePassword, createAccount, deleteUserSessions])
      expect(method).toBeTypeOf('function')
    expect(password.hash).toBeTypeOf('function')
    expect(password.verify).toBeTypeOf('function')
  })

  it('ONNX Runtime: the synchronous session below the public one', () => {
    initOrt()
    const session = new binding.InferenceSession()
    for (const method of ['loadModel', 'run', 'dispose'] as const)
      expect(session[method]).toBeTypeOf('function')
  })

  it('prom-client: a registry of our own that tells its content type', () => {
    expect(new Registry().contentType).toContain('text/plain')
  })
})
