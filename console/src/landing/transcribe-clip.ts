// A sample clip's transcript as it comes: server-sent events, read with fetch because it tells why it was refused.

import { t } from '../texts/texts.ts'

export interface ClipListener {
  onText(text: string): void
  onFinal(text: string): void
}

export async function transcribeClip(
  url: string,
  listener: ClipListener,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(url, { signal })
  if (!response.ok || response.body === null) throw new Error(describeRefusal(response.status))
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (rest + decoder.decode(part.value, { stream: true })).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) dispatch(event, listener)
  }
}

function dispatch(event: string, listener: ClipListener): void {
  const [, name = '', data = '{}'] = /^event: (\w+)\ndata: (.*)$/s.exec(event) ?? []
  const { text = '', message } = JSON.parse(data)
  if (name === 'delta') listener.onText(text)
  if (name === 'final') listener.onFinal(text)
  if (name === 'failed') throw new Error(message)
}

function describeRefusal(status: number): string {
  if (status === 429) return t('demo.too_many')
  if (status === 503) return t('demo.busy')
  return t('demo.failed')
}
