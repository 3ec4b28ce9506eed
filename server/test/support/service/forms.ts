// Multipart forms as clients send them.

type Value = string | Buffer

/** Fields in their order; a buffer is a file, and an array is several fields of one name. */
export async function encodeForm(fields: Record<string, Value | readonly Value[]>) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) append(form, name, one)
  }
  const encoded = new Response(form)
  const contentType = encoded.headers.get('content-type')!
  return { contentType, body: Buffer.from(await encoded.arrayBuffer()) }
}

function append(form: FormData, name: string, value: Value): void {
  if (typeof value === 'string') form.append(name, value)
  else form.append(name, new Blob([new Uint8Array(value)]), 'recording')
}
