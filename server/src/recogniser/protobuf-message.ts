// Writes protocol-buffer messages: the fields of a message, one after the other, are the message.

const WIRE_VARINT = 0
const WIRE_BYTES = 2

export function numberField(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8 + WIRE_VARINT), varint(value)])
}

export function bytesField(field: number, value: Uint8Array): Buffer {
  return Buffer.concat([varint(field * 8 + WIRE_BYTES), varint(value.length), value])
}

export function textField(field: number, value: string): Buffer {
  return bytesField(field, Buffer.from(value, 'utf8'))
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}
