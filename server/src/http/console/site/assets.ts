// The built console (console/dist): read once at start, so that a request never touches the disk; compressed when first asked for.
//
// By hand, not with @fastify/static: pages and the documentation are made in memory, from the reader's theme and the public address, so
// this code is needed anyway. The plugin could serve the few remaining files from disk, but only as a second way beside this one, with
// copies that the build compresses.

import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const A_DAY = 'public, max-age=86400'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.tgz': 'application/gzip',
  '.txt': 'text/plain; charset=utf-8',
  '.wav': 'audio/wav',
  '.woff2': 'font/woff2',
}
const COMPRESSIBLE = /^(text|application\/json|image\/svg)/

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)
export type Encoding = 'br' | 'gzip' | 'identity'

export class Asset {
  readonly mediaType: string
  readonly #plain: Buffer
  readonly #compressed = new Map<Encoding, Promise<Buffer>>()

  constructor(path: string, body: Buffer) {
    this.mediaType = MEDIA_TYPES[extname(path)] ?? 'application/octet-stream'
    this.#plain = body
  }

  get text(): string {
    return this.#plain.toString('utf8')
  }

  get compressible(): boolean {
    return COMPRESSIBLE.test(this.mediaType)
  }

  bodyAs(encoding: Encoding): Promise<Buffer> {
    if (encoding === 'identity') return Promise.resolve(this.#plain)
    const known = this.#compressed.get(encoding)
    if (known) return known
    const made = encoding === 'br' ? compressText(this.#plain) : compressGzip(this.#plain, { level: 9 })
    this.#compressed.set(encoding, made)
    return made
  }
}

function compressText(body: Buffer): Promise<Buffer> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
  return compressBrotli(body, { params })
}

/** `br;q=0`: anything but this. */
const UNWANTED = /;\s*q=0(\.0*)?\s*$/i

/** Which compression the client accepts, where the asset is large enough for it. */
export function chooseEncoding(asset: Asset, acceptEncoding: string | undefined): Encoding {
  if (!asset.compressible) return 'identity'
  const accepted = (acceptEncoding ?? '')
    .split(',')
    .filter(one => !UNWANTED.test(one))
    .map(one => one.trim().split(';')[0])
  if (accepted.includes('br')) return 'br'
  return accepted.includes('gzip') ? 'gzip' : 'identity'
}

/** Every file of the folder, by its path inside it; empty where the console was not built. */
export function readAssets(folder: string): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>()
  for (const path of listFiles(folder)) assets.set(path, new Asset(path, readFileSync(join(folder, path))))
  return assets
}

function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter(entry => entry.isFile())
    return files.map(entry =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

export async function sendAsset(
  asset: Asset | undefined,
  cacheControl: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (asset === undefined) throw new ServiceError('route_not_found')
  const encoding = chooseEncoding(asset, request.headers['accept-encoding'])
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply
    .header('cache-control', cacheControl)
    .header('vary', 'accept-encoding')
    .header('content-type', asset.mediaType)
    .send(await asset.bodyAs(encoding))
}
