// The service as a process of its own, for tests and benches that kill it or run several: `node server/dist/main.js` with their settings.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { findFreePort } from './postgres-for-tests.mjs'

const MAIN = fileURLToPath(new URL('../server/dist/main.js', import.meta.url))

/**
 * Resolves when the process says that it is ready; rejects with its output when it ends before. With `killAfterMs` it is killed that
 * long after its start, unless it is ready by then.
 */
export async function startServiceProcess(env, killAfterMs) {
  const child = spawnService(env)
  if (killAfterMs !== undefined) killUnlessReady(child, killAfterMs)
  const exited = once(child, 'exit')
  const port = await waitUntilReady(child)
  const ca = readFileSync(join(env.SAUTI_DATA_DIR, 'tls', 'ca.pem'), 'utf8')
  const end = async signal => {
    child.kill(signal)
    const [code] = await exited
    return code
  }
  return { port, ca, child, end }
}

/** One node of several, with a port, an address and a data folder of its own. `own` are settings that the others do not have. */
export async function startNodeProcess(shared, own = {}) {
  const { url, settings, remove } = await prepareNode()
  return { url, remove, starting: startServiceProcess({ ...shared, ...settings, ...own }) }
}

/** The exit code of a start that cannot succeed. */
export async function failToStart(env) {
  const child = spawnService(env)
  let said = ''
  child.stderr.on('data', chunk => {
    said += chunk
  })
  const [code] = await once(child, 'close')
  return { code, said }
}

async function prepareNode() {
  const port = await findFreePort()
  const url = `https://127.0.0.1:${port}`
  const dataDir = mkdtempSync(join(tmpdir(), 'sauti-node-'))
  return {
    url,
    settings: { SAUTI_PORT: String(port), SAUTI_NODE_URL: url, SAUTI_DATA_DIR: dataDir },
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

/** Settings of the machine must not change what is tested. */
function spawnService(env) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SAUTI_'))
  return spawn(process.execPath, [MAIN], {
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function killUnlessReady(child, afterMs) {
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
  createInterface(child.stdout).on('line', line => {
    if (JSON.parse(line).msg === 'the service is ready') clearTimeout(timer)
  })
}

function waitUntilReady(child) {
  return new Promise((resolve, reject) => {
    let said = ''
    let isReady = false
    const note = text => {
      if (!isReady) said += text
    }
    child.stderr.on('data', note)
    createInterface(child.stdout).on('line', line => {
      note(`${line}\n`)
      const { msg, port } = JSON.parse(line)
      if (msg !== 'the service is ready') return
      isReady = true
      resolve(port)
    })
    child.once('exit', code => reject(new Error(`the service ended with ${code}: ${said}`)))
  })
}
