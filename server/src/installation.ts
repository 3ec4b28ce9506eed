// Where an installation keeps what is not code. A checkout and the package that `npm run pack` makes have the same layout below
// the folder whose package.json is named `sauti`, so this is the only module that knows where the service is installed.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE = 'sauti'
const root = findRoot(fileURLToPath(new URL('.', import.meta.url)))

export const INSTALLATION = {
  /** The built console, with the client package in `downloads`. */
  console: join(root, 'console/dist'),
  docs: join(root, 'docs'),
  /** Hashes of passwords that nobody may choose. */
  commonPasswords: join(root, 'server/data/common-passwords.bin'),
  /** The bundled models and their sample recordings. */
  models: join(root, 'models'),
  /** The network that distinguishes voices from other sounds. */
  voiceModel: join(root, 'models/voice/silero-vad-v5-tuned.onnx'),
  /** Names the version of the client package. */
  clientManifest: join(root, 'sdk/package.json'),
} as const

function findRoot(folder: string): string {
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === PACKAGE) return folder
  if (dirname(folder) === folder) throw new Error(`the server is not inside a ${PACKAGE} package or checkout`)
  return findRoot(dirname(folder))
}
