// What the encoder remembers, of one utterance or of several side by side in one run.

import { Tensor } from 'onnxruntime-node'
import type { Manifest } from '../package/manifest.ts'

/** Row by row. */
export interface EncoderCache {
  channel: Tensor
  time: Tensor
  filled: Tensor
}

const PARTS = ['channel', 'time', 'filled'] as const

export function newCache(manifest: Manifest, rows = 1): EncoderCache {
  const { layers, left, dim, conv_cache } = manifest.encoder
  return {
    channel: floats([rows, layers, left, dim]),
    time: floats([rows, layers, dim, conv_cache]),
    filled: integers(rows),
  }
}

/** The first rows of a larger one, in the same memory. */
export function firstRows({ channel, time, filled }: EncoderCache, rows: number): EncoderCache {
  return { channel: head(channel, rows), time: head(time, rows), filled: head(filled, rows) }
}

function head(tensor: Tensor, rows: number): Tensor {
  const [all = 1, ...rest] = tensor.dims
  const data = dataOf(tensor).subarray(0, (tensor.size / all) * rows)
  return new Tensor(tensor.type as 'float32', data, [rows, ...rest])
}

export function clearCache({ channel, time, filled }: EncoderCache): void {
  ;(channel.data as Float32Array).fill(0)
  ;(time.data as Float32Array).fill(0)
  ;(filled.data as BigInt64Array).fill(0n)
}

/** Copies the caches of single utterances into the rows of one. */
export function joinCaches(single: readonly EncoderCache[], joined: EncoderCache): void {
  for (const [row, cache] of single.entries())
    for (const part of PARTS) rowOf(joined[part], row).set(dataOf(cache[part]))
}

export function divideCaches(joined: EncoderCache, single: readonly EncoderCache[]): void {
  for (const [row, cache] of single.entries())
    for (const part of PARTS) dataOf(cache[part]).set(rowOf(joined[part], row))
}

export function floats(dims: readonly number[]): Tensor {
  return new Tensor('float32', new Float32Array(dims.reduce((product, size) => product * size, 1)), dims)
}

export function integers(rows: number, value = 0): Tensor {
  return new Tensor('int64', new BigInt64Array(rows).fill(BigInt(value)), [rows])
}

/** Integers or floats: both sides of a copy have the same kind. */
function dataOf(tensor: Tensor): Float32Array {
  return tensor.data as Float32Array
}

function rowOf(tensor: Tensor, row: number): Float32Array {
  const size = tensor.size / tensor.dims[0]!
  return dataOf(tensor).subarray(row * size, (row + 1) * size)
}
