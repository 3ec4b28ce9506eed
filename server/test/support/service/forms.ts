// Multipart forms as clients send them.

/** Fields in their order; a buffer is a file. */
export async function encodeForm(fields: Record<string, string | readonly string[] | Buffer>) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (Buffer.isBuffer(value)) form.append(name, new Blob([new Uint8Array(value)]), 'recording')
    else for (const one of [value].flat()) form.append(name, String(one))
  }
  const encoded = new Response(form)
  const contentType = encoded.headers.get('content-type')!
  return { contentType, body: Buffer.from(await encoded.arrayBuffer()) }
}
