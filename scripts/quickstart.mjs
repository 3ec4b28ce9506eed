// From a fresh checkout to a first transcript: installs, builds, starts the service on the embedded database, makes an account
// with credit, and has a bundled recording transcribed through the front door. Then the service runs until Ctrl-C.
// `npm run quickstart -- --once` stops after the proof; `--prepared` says that packages and builds are there.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { build, installPackages, ROOT } from './run.mjs'

const CREDIT_SECONDS = 3600
const OPERATOR_EMAIL = 'operator@sauti.local'
const LANGUAGES = ['kikuyu', 'dholuo']
const dataDir = resolve(ROOT, process.env.SAUTI_DATA_DIR ?? '.sauti')
const modelsDir = resolve(ROOT, process.env.SAUTI_MODELS_DIR ?? 'models')
const accountFile = join(dataDir, 'quickstart.json')

try {
  await quickstart()
} catch (error) {
  console.error(`quickstart: ${error.message}`)
  process.exit(1)
}

async function quickstart() {
  const samples = findSamples()
  if (!process.argv.includes('--prepared')) {
    await must('Installing packages', installPackages)
    await must('Building', build)
  }
  console.log('Starting the service (the first time it also makes its database) ...')
  const service = await startService()
  try {
    const key = await provideKey(service)
    describeService(service)
    for (const sample of samples) await prove(service, key, sample)
  } catch (error) {
    await service.stop()
    throw error
  }
  if (process.argv.includes('--once')) await service.stop()
  else console.log('\nThe service runs until Ctrl-C.')
  process.exitCode = await service.ended
}

async function must(what, work) {
  console.log(`${what} ...`)
  if (!(await work())) throw new Error(`${what.toLowerCase()} failed`)
}

/** One bundled recording of each language, named by it, with the words that are spoken in it beside it. */
function findSamples() {
  const folder = join(modelsDir, 'samples')
  const files = existsSync(folder) ? readdirSync(folder).sort() : []
  const samples = LANGUAGES.flatMap(language => {
    const name = files.find(file => file.startsWith(language) && file.endsWith('.wav'))
    return name === undefined ? [] : [describeSample(language, join(folder, name))]
  })
  if (samples.length === 0) throw new Error(`there is no recording in ${folder}`)
  return samples
}

function describeSample(language, file) {
  const list = join(dirname(file), 'transcripts.tsv')
  const rows = existsSync(list) ? readFileSync(list, 'utf8').split('\n') : []
  const row = rows.find(line => line.startsWith(`${basename(file)}\t`))
  return { language, file, words: row?.split('\t').at(-1) }
}

async function startService() {
  const child = spawn(process.execPath, [join(ROOT, 'server/dist/main.js')], {
    cwd: ROOT,
    env: { ...process.env, SAUTI_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit').then(([code]) => code ?? 1)
  // Ctrl-C reaches the service too; it drains and ends, and then so do we.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  const ready = await Promise.race([readUntilReady(child.stdout), ended])
  if (typeof ready === 'number') throw new Error('the service did not start')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { url: ready.publicUrl, ended, stop }
}

async function readUntilReady(output) {
  const lines = createInterface(output)
  const ready = await new Promise(found => {
    lines.on('line', line => {
      const entry = JSON.parse(line)
      if (entry.msg === 'the service is ready') found(entry)
      if (entry.level === 'error' || entry.level === 'fatal') console.error(line)
    })
  })
  return ready
}

/** The key of a new demonstration account, shown once; later runs make a key for the proof only, which expires by itself. */
async function provideKey({ url }) {
  if (existsSync(accountFile)) {
    const { account_id } = JSON.parse(readFileSync(accountFile, 'utf8'))
    console.log(`\nThe demonstration account ${account_id} was made by an earlier run, which showed its key.`)
    console.log(`For another key: npx sauti keys create --account ${account_id}`)
    const args = ['--account', account_id, '--name', 'quickstart', '--expires-in', '1h']
    return (await sauti(['keys', 'create', ...args])).api_key
  }
  const account = ['--name', 'Demonstration', '--credit-seconds', String(CREDIT_SECONDS)]
  const { account_id, api_key } = await sauti(['accounts', 'create', ...account])
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(accountFile, `${JSON.stringify({ account_id })}\n`)
  console.log(`\nDemonstration account ${account_id} with ${CREDIT_SECONDS} seconds of credit.`)
  console.log(`Its API key, shown only this once:\n\n  ${api_key}\n`)
  await inviteOperator(account_id, url)
  return api_key
}

/** The way into the console, as its operator and as a developer with the demonstration account. */
async function inviteOperator(account_id, url) {
  const order = ['--email', OPERATOR_EMAIL, '--name', 'Operator', '--account', account_id]
  const { link } = await sauti(['operators', 'create', ...order], { SAUTI_PUBLIC_URL: url })
  console.log(`To choose the password of ${OPERATOR_EMAIL} for the console, open this once:\n\n  ${link}\n`)
}

function describeService({ url }) {
  const authority = join(dataDir, 'tls/ca.pem')
  console.log(`API      ${url}/v1/models   (curl --cacert ${authority})`)
  console.log(`Docs     ${url}/docs`)
  console.log(`Console  ${url}/`)
  console.log(`Data     ${dataDir}`)
}

async function prove({ url }, key, { language, file, words }) {
  const env = { SAUTI_URL: url, SAUTI_API_KEY: key, SAUTI_CA: join(dataDir, 'tls/ca.pem') }
  const { transcripts } = await sauti(['transcribe', '--model', language, file], env)
  console.log(`\nTranscribed ${file} (${language}):\n  heard   ${transcripts[0].text}`)
  if (words !== undefined) console.log(`  spoken  ${words}`)
}

/** The sauti command, with its answer as an object. */
async function sauti(args, env = {}) {
  const child = spawn(process.execPath, [join(ROOT, 'cli/bin/sauti.js'), ...args, '--json'], {
    cwd: ROOT,
    env: { ...process.env, SAUTI_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', chunk => {
    said += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`sauti ${args[0]} failed`)
  return JSON.parse(said)
}
