// A line chart as SVG. Readable on light and dark pages, because it has its own background; lines differ by mark and dash, not only by colour;
// title and description tell the same in words.

import type { Point } from '../measure/numbers.ts'
import { placesOf, type Scale, scaleFor } from './scale.ts'

export interface Series {
  readonly name: string
  readonly points: readonly Point[]
}

interface Axis {
  readonly label: string
  readonly kind: 'linear' | 'log'
}

export interface Chart {
  readonly title: string
  readonly description: string
  readonly x: Axis
  readonly y: Axis
  readonly series: readonly Series[]
  /** A level that is promised or aimed at. */
  readonly limit?: { readonly y: number; readonly label: string }
}

const WIDTH = 720
const HEADER = 56
const ROW = 20
const PLOT = { left: 76, right: 24, height: 300, bottom: 56 }
/** More would hide the line. */
const MOST_MARKS = 20
const DASHES = ['', '7 4', '2 4', '9 3 2 3']
/** Light and dark, each readable on its background. */
const COLOURS = [
  ['#0a5cc2', '#6cb0ff'],
  ['#b23c17', '#ff9a76'],
  ['#1a7f37', '#5fd080'],
  ['#7a3fb3', '#c79bff'],
] as const
const LIGHT = { ground: '#ffffff', ink: '#1f2328', faint: '#d0d7de' }
const DARK = { ground: '#0d1117', ink: '#e6edf3', faint: '#3d444d' }

export function drawChart(chart: Chart): string {
  const top = HEADER + chart.series.length * ROW + 12
  const height = top + PLOT.height + PLOT.bottom
  const points = chart.series.flatMap(series => series.points)
  const limits = chart.limit === undefined ? [] : [chart.limit.y]
  const x = scaleFor(
    chart.x.kind,
    points.map(([value]) => value),
    PLOT.left,
    WIDTH - PLOT.right,
  )
  const y = scaleFor(chart.y.kind, [...points.map(([, value]) => value), ...limits], top + PLOT.height, top)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description" font-family="system-ui, sans-serif" font-size="14">`,
    `<title id="title">${escapeXml(chart.title)}</title>`,
    `<desc id="description">${escapeXml(chart.description)}</desc>`,
    styles(),
    `<rect class="ground" width="${WIDTH}" height="${height}" rx="8" fill="${LIGHT.ground}"/>`,
    text(24, 34, chart.title, 'font-size="18" font-weight="600"'),
    ...chart.series.map((series, i) => legend(series.name, i)),
    ...grid(chart, x, y, top),
    ...limitLine(chart, y),
    ...chart.series.map((series, i) => line(series.points, i, x, y)),
    '</svg>',
    '',
  ].join('\n')
}

function styles(): string {
  const lines = COLOURS.map(([, dark], i) => `.s${i}{stroke:${dark}}.m${i}{fill:${dark}}`).join('')
  return `<style>@media (prefers-color-scheme: dark){.ground{fill:${DARK.ground}}.ink{fill:${DARK.ink}}.grid{stroke:${DARK.faint}}.limit{stroke:${DARK.ink}}${lines}}</style>`
}

function legend(name: string, i: number): string {
  const y = HEADER + i * ROW
  return [stroke(`M24 ${y}H56`, i), mark(i, 40, y), text(66, y + 5, name)].join('')
}

function grid({ x: xAxis, y: yAxis }: Chart, x: Scale, y: Scale, top: number): string[] {
  const bottom = top + PLOT.height
  const right = WIDTH - PLOT.right
  const middle = (PLOT.left + right) / 2
  const rule = (path: string) => `<path class="grid" d="${path}" stroke="${LIGHT.faint}" fill="none"/>`
  return [
    ...placesOf(y).map(({ at, label }) =>
      [rule(`M${PLOT.left} ${at}H${right}`), text(PLOT.left - 8, at + 5, label, 'text-anchor="end"')].join(
        '',
      ),
    ),
    ...placesOf(x).map(({ at, label }) =>
      [rule(`M${at} ${bottom}v6`), text(at, bottom + 22, label, 'text-anchor="middle"')].join(''),
    ),
    text(middle, bottom + 46, xAxis.label, 'text-anchor="middle"'),
    text(
      0,
      0,
      yAxis.label,
      `text-anchor="middle" transform="translate(18 ${top + PLOT.height / 2}) rotate(-90)"`,
    ),
  ]
}

function limitLine({ limit }: Chart, y: Scale): string[] {
  if (limit === undefined) return []
  const at = y.place(limit.y)
  const right = WIDTH - PLOT.right
  return [
    `<path class="limit" d="M${PLOT.left} ${at}H${right}" stroke="${LIGHT.ink}" stroke-dasharray="4 4"/>`,
    text(PLOT.left + 6, at - 6, limit.label),
  ]
}

function line(points: readonly Point[], i: number, x: Scale, y: Scale): string {
  const places = points.map(([a, b]) => [x.place(a), y.place(b)] as const)
  const path = places.map(([a, b], at) => `${at === 0 ? 'M' : 'L'}${a} ${b}`).join('')
  const marks = places.length > MOST_MARKS ? [] : places.map(([a, b]) => mark(i, a, b))
  return [stroke(path, i), ...marks].join('')
}

function stroke(path: string, i: number): string {
  const dash = DASHES[i] === '' ? '' : ` stroke-dasharray="${DASHES[i]}"`
  return `<path class="s${i}" d="${path}" stroke="${COLOURS[i]![0]}" stroke-width="2" fill="none"${dash}/>`
}

/** A circle, a square, a triangle, a diamond. */
function mark(i: number, x: number, y: number): string {
  const shapes = [
    `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z`,
    `M${x - 4} ${y - 4}h8v8h-8z`,
    `M${x} ${y - 5}l5 9h-10z`,
    `M${x} ${y - 6}l5 6l-5 6l-5 -6z`,
  ]
  return `<path class="m${i}" d="${shapes[i]}" fill="${COLOURS[i]![0]}"/>`
}

function text(x: number, y: number, words: string, more = ''): string {
  return `<text class="ink" x="${x}" y="${y}" fill="${LIGHT.ink}" ${more}>${escapeXml(words)}</text>`
}

function escapeXml(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
