// What an attacker sends, over and over, as fast as the service takes it.

const CONFIG = '{"type":"config"}'
const FLUSH = '{"type":"flush"}'
const RESET = '{"type":"reset"}'
const frame = (samples: number) => Buffer.alloc(2 * samples)
const phrases = (name: string) =>
  JSON.stringify({ type: 'config', context: Array.from({ length: 100 }, (_, at) => `${name} ${at}`) })

export type Message = string | Buffer

/** One round each; `ping` is a control frame and sent as such. */
export const ATTACKS: Readonly<Record<string, readonly Message[]>> = {
  'config, bare': [CONFIG],
  'config, 100 phrases in turn': [phrases('wega'), phrases('muno')],
  'config, look-ahead in turn': ['{"type":"config","context":[56,0]}', '{"type":"config","context":[56,13]}'],
  'config, refused': ['{"type":"config","language":"sw"}'],
  flush: [FLUSH],
  reset: [RESET],
  'one sample and flush': [frame(1), FLUSH],
  'one chunk and reset': [frame(17_920), RESET],
  'audio, frames of one sample': [frame(1)],
  'audio, largest frames': [frame(32_768)],
  ping: [],
  'all of them': [phrases('wega'), frame(1), FLUSH, CONFIG, phrases('muno'), frame(17_920), RESET, FLUSH],
}
