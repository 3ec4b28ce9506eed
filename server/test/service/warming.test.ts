// What a start does while the engines load their models.

import { createHash } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MODEL_IDS } from '@sauti/protocol/models'
import { Registry } from 'prom-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLogger } from '#server/log.js'
import { startService } from '#server/service.js'
import { readConfig } from '#server/settings/config.js'
import { startServing } from '#server/startup/serving.js'
import { StartedParts } from '#server/startup/started-parts.js'
import { findFreePort } from '../../../scripts/postgres-for-tests.mjs'
import { createMigratedDatabase, failOnLoss, openTestDatabase } from '../support/database/database.ts'
import { countChildren, isListening } from '../support/processes.ts'
import { openTiny } from '../support/recogniser/open-tiny.ts'
import { TINY_MODEL, tinyModelsDir } from '../support/recogniser/tiny-models.ts'

const log = createLogger('silent', { write: () => undefined })

/** A moment in a start: `reached` when the start waits for it, and it goes on after `pass`. */
function gate() {
  const events = new EventEmitter()
  const reached = once(events, 'reached')
  const passed = once(events, 'passed')
  const waited = {
    // biome-ignore lint/suspicious/noThenProperty: the test has to know that somebody waits.
    then(...[onPassed]: Parameters<Promise<unknown>['then']>) {
      events.emit('reached')
      return passed.then(onPassed)
    },
  } as Promise<void>
  return { waited, reached, pass: () => events.emit('passed') }
}

/** Its files are whole and have the right inputs, but the runtime does not know one of its operators. */
function modelsThatDoNotLoad() {
  const models = tinyModelsDir()
  const whole = readFileSync(join(TINY_MODEL, 'encoder.onnx'), 'latin1')
  const encoder = Buffer.from(whole.replaceAll('LayerNormalization', 'LayerNormalizatioX'), 'latin1')
  writeFileSync(join(models.modelsDir, 'encoder.onnx'), encoder)
  const sha256 = createHash('sha256').update(encoder).digest('hex')
  for (const id of MODEL_IDS) {
    const path = join(models.modelsDir, id, 'manifest.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    manifest.files.encoder = { path: '../encoder.onnx', sha256 }
    writeFileSync(path, JSON.stringify(manifest))
  }
  return models
}

describe('a start', () => {
  it('lets nobody in before the engines are warm, and everybody afterwards', async () => {
    const { database, env, close } = await openTestDatabase()
    const port = await findFreePort()
    const config = readConfig({ ...env, SAUTI_HOST: '127.0.0.1', SAUTI_PORT: String(port) })
    const recogniser = await openTiny()
    const { waited, reached, pass } = gate()
    const started = new StartedParts()
    const startingRecogniser = Promise.resolve({ recogniser, warm: waited })
    const serving = startServing(
      { config, log, metrics: new Registry(), database, startingRecogniser },
      started,
    )
    await reached
    expect(await isListening(port)).toBe(false)
    pass()
    const service = await serving
    expect(await isListening(port)).toBe(true)
    await service.stop()
    await recogniser.close()
    await close()
  })

  it('ends with the reason, and without engines, when the models cannot be loaded', async () => {
    const store = await createMigratedDatabase()
    const models = modelsThatDoNotLoad()
    onTestFinished(() => {
      models.remove()
      return store.remove()
    })
    const port = await findFreePort()
    const settings = { ...store.env, SAUTI_MODELS_DIR: models.modelsDir, SAUTI_PORT: String(port) }
    const before = countChildren()
    const failing = startService(readConfig(settings), { log, onFatal: failOnLoss.onDatabaseLost })
    await expect(failing).rejects.toThrow('LayerNormalizatioX')
    expect(await isListening(port)).toBe(false)
    // An engine that was killed is a child of this process until its exit has been read.
    await expect.poll(countChildren).toBe(before)
  })
})
