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

/** What a chart is drawn on. */
interface Paper {
  readonly width: number
  /** The plot; the numbers of its axis of y are at its left, the name of that axis is above it. */
  readonly plot: { readonly left: number; readonly right: number; readonly height: number }
  readonly margin: number
  readonly titleSize: number
  /** Letters that fit into a line of the title, and into one of the legend. */
  readonly titleLetters: number
  readonly legendLetters: number
}

const WIDE: Paper = {
  width: 720,
  plot: { left: 76, right: 24, height: 300 },
  margin: 24,
  titleSize: 18,
  titleLetters: 76,
  legendLetters: 90,
}
/** For a phone, where a wide chart would be shrunk until nobody can read its numbers. */
export const NARROW: Paper = {
  width: 360,
  plot: { left: 68, right: 30, height: 240 },
  margin: 8,
  titleSize: 16,
  titleLetters: 36,
  legendLetters: 40,
}

const ROW = 20
const BOTTOM = 56
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

export function drawChart(chart: Chart, paper: Paper = WIDE): string {
  const title = wrap(chart.title, paper.titleLetters)
  const names = chart.series.map(({ name }) => wrap(name, paper.legendLetters))
  const header = 16 + title.length * (paper.titleSize + 4)
  const top = header + names.flat().length * ROW + 46
  const height = top + paper.plot.height + BOTTOM
  const { x, y } = scalesOf(chart, paper, top)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${paper.width} ${height}" width="${paper.width}" height="${height}" role="img" aria-labelledby="title description" font-family="system-ui, sans-serif" font-size="14">`,
    `<title id="title">${escapeXml(chart.title)}</title>`,
    `<desc id="description">${escapeXml(chart.description)}</desc>`,
    styles(),
    `<rect class="ground" width="${paper.width}" height="${height}" rx="8" fill="${LIGHT.ground}"/>`,
    ...title.map((words, at) =>
      text(
        paper.margin,
        34 + at * (paper.titleSize + 4),
        words,
        `font-size="${paper.titleSize}" font-weight="600"`,
      ),
    ),
    ...names.map((lines, i) =>
      legend(lines, i, paper.margin, header + 18 + names.slice(0, i).flat().length * ROW),
    ),
    ...grid(chart, x, y, paper, top),
    ...limitLine(chart, y, paper),
    ...chart.series.map((series, i) => line(series.points, i, x, y)),
    '</svg>',
    '',
  ].join('\n')
}

function scalesOf(chart: Chart, { width, plot }: Paper, top: number): { x: Scale; y: Scale } {
  const points = chart.series.flatMap(series => series.points)
  const limits = chart.limit === undefined ? [] : [chart.limit.y]
  const xs = points.map(([value]) => value)
  const ys = [...points.map(([, value]) => value), ...limits]
  return {
    x: scaleFor(chart.x.kind, xs, plot.left, width - plot.right),
    y: scaleFor(chart.y.kind, ys, top + plot.height, top),
  }
}

/** Lines of whole words, none longer than `letters` unless one word is. */
function wrap(words: string, letters: number): string[] {
  const lines: string[] = []
  for (const word of words.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && longer.length <= letters) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

function styles(): string {
  const lines = COLOURS.map(([, dark], i) => `.s${i}{stroke:${dark}}.m${i}{fill:${dark}}`).join('')
  return `<style>@media (prefers-color-scheme: dark){.ground{fill:${DARK.ground}}.ink{fill:${DARK.ink}}.grid{stroke:${DARK.faint}}.limit{stroke:${DARK.ink}}${lines}}</style>`
}

function legend(lines: readonly string[], i: number, left: number, y: number): string {
  const words = lines.map((words, at) => text(left + 42, y + 5 + at * ROW, words))
  return [stroke(`M${left} ${y}H${left + 32}`, i), mark(i, left + 16, y), ...words].join('')
}

function grid(
  { x: xAxis, y: yAxis }: Chart,
  x: Scale,
  y: Scale,
  { width, plot }: Paper,
  top: number,
): string[] {
  const bottom = top + plot.height
  const right = width - plot.right
  const rule = (path: string) => `<path class="grid" d="${path}" stroke="${LIGHT.faint}" fill="none"/>`
  return [
    ...placesOf(y).map(({ at, label }) =>
      [rule(`M${plot.left} ${at}H${right}`), text(plot.left - 8, at + 5, label, 'text-anchor="end"')].join(
        '',
      ),
    ),
    ...placesOf(x).map(({ at, label }) =>
      [rule(`M${at} ${bottom}v6`), text(at, bottom + 22, label, 'text-anchor="middle"')].join(''),
    ),
    text((plot.left + right) / 2, bottom + 46, xAxis.label, 'text-anchor="middle"'),
    text(plot.left, top - 14, yAxis.label),
  ]
}

function limitLine({ limit }: Chart, y: Scale, { width, plot }: Paper): string[] {
  if (limit === undefined) return []
  const at = y.place(limit.y)
  return [
    `<path class="limit" d="M${plot.left} ${at}H${width - plot.right}" stroke="${LIGHT.ink}" stroke-dasharray="4 4"/>`,
    text(plot.left + 6, at - 6, limit.label),
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
