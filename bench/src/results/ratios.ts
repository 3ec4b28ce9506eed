// Ours beside its peer, as one list of ratios. Pure.

import { BARE_ENGINE } from '../end-to-end/service-names.ts'
import { FINAL_LIMIT_MS } from '../plots/charts.ts'
import type { ResultFigures, Results } from './shapes.ts'

/** The peer of whole services. */
export const SHERPA_SERVER = 'sherpa-onnx behind `ws`'

export interface Ratio {
  readonly what: string
  readonly ours: number
  readonly peer: string
  readonly theirs: number
  readonly ratio: number
}

export function ratiosOf(results: Results): Ratio[] {
  const { engine, stream, http } = results
  const endToEnd = results['end-to-end']?.figures
  const startUp = results['start-up']?.figures
  return [
    ...(endToEnd ? endToEndRatios(endToEnd) : []),
    ...(engine ? engineRatios(engine.figures) : []),
    ...(stream ? streamRatios(stream.figures) : []),
    ...(http ? httpRatios(http.figures) : []),
    ...(startUp ? startUpRatios(startUp) : []),
  ]
}

type EndToEnd = ResultFigures['end-to-end']

/**
 * How many streams at once have their finals within the promise at p99. Whoever was not admitted was told so, and when to come back. Between
 * the last number that was measured within the promise and the first beyond it, where the line between the two crosses it.
 */
function streamsHeld(rows: EndToEnd, service: string): number {
  const points = rows
    .flatMap(row =>
      row.service === service && row.p99Ms !== null ? [[row.admitted, row.p99Ms] as const] : [],
    )
    .sort(([one], [other]) => one - other)
  const beyond = points.findIndex(([, p99Ms]) => p99Ms > FINAL_LIMIT_MS)
  if (beyond === -1) return points.at(-1)?.[0] ?? 0
  const [streams, p99Ms] = points[beyond]!
  const [fewer, lessMs] = points[beyond - 1] ?? [0, 0]
  return Math.floor(fewer + ((streams - fewer) * (FINAL_LIMIT_MS - lessMs)) / (p99Ms - lessMs))
}

function endToEndRatios(rows: EndToEnd): Ratio[] {
  const held = streamsHeld(rows, 'sauti')
  const bare = rows.find(({ service }) => service === BARE_ENGINE)?.admitted
  return [
    ratio(
      `Streams held on one core, flush to final p99 at most ${FINAL_LIMIT_MS} ms`,
      held,
      SHERPA_SERVER,
      streamsHeld(rows, 'sherpa-onnx'),
    ),
    ...(bare
      ? [
          ratio(
            `Streams held on one core, of those that the engine alone would fill it with`,
            held,
            BARE_ENGINE,
            bare,
          ),
        ]
      : []),
    ...bothServed(rows).map(([ours, theirs]) =>
      ratio(
        `CPU-ms per second and stream, ${ours.asked} ${ours.asked === 1 ? 'stream' : 'streams'}`,
        (ours.core / ours.admitted) * 1000,
        SHERPA_SERVER,
        (theirs.core / theirs.admitted) * 1000,
      ),
    ),
  ]
}

/** Where both have all streams that were asked for, so that they do the same work. */
function bothServed(rows: EndToEnd): [EndToEnd[number], EndToEnd[number]][] {
  return rows.flatMap(ours => {
    const theirs = rows.find(row => row.service === 'sherpa-onnx' && row.asked === ours.asked)
    const isSame =
      ours.service === 'sauti' && ours.admitted === ours.asked && theirs?.admitted === theirs?.asked
    return isSame && theirs !== undefined ? [[ours, theirs]] : []
  })
}

function engineRatios({ costs }: ResultFigures['engine']): Ratio[] {
  return costs.flatMap(({ lookAhead, bareMs, greedyMs, languageMs, sherpaMs }) => {
    const what = `CPU-ms per chunk, look-ahead ${lookAhead}`
    return [
      ratio(`${what}, greedy`, greedyMs, 'bare ONNX Runtime loop', bareMs),
      ...(sherpaMs === null
        ? []
        : [
            ratio(`${what}, greedy`, greedyMs, 'sherpa-onnx', sherpaMs),
            ratio(`${what}, with our language model`, languageMs, 'sherpa-onnx, which has none', sherpaMs),
          ]),
    ]
  })
}

function streamRatios(figures: ResultFigures['stream']): Ratio[] {
  const { streams, idle, cpuUsPerFrame, idleCpuUsPerSecond, idleRssKiB } = figures
  const beside = (what: string, { sauti, bare }: typeof cpuUsPerFrame) =>
    ratio(what, sauti, 'bare `ws`', bare)
  return [
    beside(`CPU-µs per frame of 100 ms, ${streams} streams`, cpuUsPerFrame),
    beside(`CPU-µs per second and idle connection, ${idle} of them`, idleCpuUsPerSecond),
    beside('Memory per idle connection, KiB', idleRssKiB),
  ]
}

function httpRatios(rows: ResultFigures['http']): Ratio[] {
  return rows
    .filter(({ request }) => request === 'GET /v1/models')
    .map(({ database, request, perSecond, ofBare }) =>
      ratio(
        `\`${request}\` per second, ${database} database`,
        perSecond,
        'bare Fastify route',
        perSecond / ofBare,
      ),
    )
}

function startUpRatios(rows: ResultFigures['start-up']): Ratio[] {
  const peer = rows.find(({ service }) => service === 'sherpa-onnx')
  if (peer === undefined) return []
  const ours = rows.filter(row => row !== peer)
  const beside = (what: string, one: number | null, other: number | null) =>
    one === null || other === null ? [] : [ratio(what, one, SHERPA_SERVER, other)]
  return [
    ...ours.flatMap(({ service, readyMs }) => beside(`Ready after ms (${service})`, readyMs, peer.readyMs)),
    ...ours
      .slice(-1)
      .flatMap(({ memoryMb, sessions, memoryAfterSessionsMb }) => [
        ...beside('Memory when ready, MB', memoryMb, peer.memoryMb),
        ...beside(`Memory after ${sessions} sessions, MB`, memoryAfterSessionsMb, peer.memoryAfterSessionsMb),
      ]),
  ]
}

function ratio(what: string, ours: number, peer: string, theirs: number): Ratio {
  return { what, ours, peer, theirs, ratio: ours / theirs }
}
