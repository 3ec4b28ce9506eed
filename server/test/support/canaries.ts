// Words, secrets and sounds that must not be written anywhere, in every form in which somebody could have written them.

/** A name for the report, and the bytes to look for. */
type Disguises = ReadonlyMap<string, Buffer>

export function disguisesOf(canary: Buffer): Disguises {
  return new Map([...bytesInDisguise(canary), ...textInDisguise(canary)])
}

function bytesInDisguise(canary: Buffer): [string, Buffer][] {
  const hex = canary.toString('hex')
  return [
    ['raw', canary],
    ['hex', Buffer.from(hex)],
    ['HEX', Buffer.from(hex.toUpperCase())],
    ...base64Forms(canary),
    ['a list of bytes', Buffer.from([...canary.subarray(0, 16)].join(','))],
    ['a list of samples', Buffer.from(samplesOf(canary).slice(0, 8).join(','))],
  ]
}

/** After 0, 1 or 2 other bytes the same bytes have other letters. The letters at both ends also depend on their neighbours. */
function base64Forms(canary: Buffer): [string, Buffer][] {
  return [0, 1, 2].flatMap(before => {
    const letters = Buffer.concat([Buffer.alloc(before), canary])
      .toString('base64')
      .replace(/=+$/, '')
    const inner = letters.slice(before === 0 ? 0 : before + 1, -1)
    const url = inner.replaceAll('+', '-').replaceAll('/', '_')
    return [
      [`base64 behind ${before} bytes`, Buffer.from(inner)],
      [`base64url behind ${before} bytes`, Buffer.from(url)],
    ]
  })
}

function samplesOf(canary: Buffer): number[] {
  return Array.from({ length: Math.floor(canary.length / 2) }, (_, index) => canary.readInt16LE(2 * index))
}

/** Only for what is text. */
function textInDisguise(canary: Buffer): [string, Buffer][] {
  const text = canary.toString()
  if (!Buffer.from(text).equals(canary)) return []
  const utf16 = Buffer.from(text, 'utf16le')
  const allPercent = [...canary].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const escaped = [...utf16Units(text)]
    .map(unit => (unit < 0x80 ? String.fromCharCode(unit) : escapeUnit(unit)))
    .join('')
  const forms: [string, string | Buffer][] = [
    ['utf-16le', utf16],
    ['utf-16be', Buffer.from(utf16).swap16()],
    ['percent-encoding', encodeURIComponent(text)],
    ['percent-encoding of a form', new URLSearchParams({ '': text }).toString().slice(1)],
    ['percent-encoding of all', allPercent],
    ['PERCENT-ENCODING of all', allPercent.toUpperCase()],
    ['a JSON string', JSON.stringify(text).slice(1, -1)],
    ['a JSON string in ASCII', escaped],
    ['a JSON string in a JSON string', JSON.stringify(JSON.stringify(text)).slice(3, -3)],
    ['NFD', text.normalize('NFD')],
    ['upper case', text.toUpperCase()],
  ]
  return forms.map(([name, form]) => [name, Buffer.from(form as string)])
}

function* utf16Units(text: string): Generator<number> {
  for (let index = 0; index < text.length; index++) yield text.charCodeAt(index)
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

/** What was found, where, and in which form. */
export function findTraces(
  places: Readonly<Record<string, Buffer>>,
  canaries: Readonly<Record<string, Buffer>>,
): string[] {
  return Object.entries(canaries).flatMap(([name, canary]) =>
    [...disguisesOf(canary)].flatMap(([form, bytes]) =>
      Object.entries(places).flatMap(([place, content]) =>
        content.includes(bytes) ? [`${name} in ${place} as ${form}`] : [],
      ),
    ),
  )
}
