// What the metadata of a published export of this family says, in the words of our manifest. Throws an Error that says what is missing
// or not supported.

import { LEFT_CONTEXT_FRAMES, LOOK_AHEADS } from '@sauti/protocol/audio'
import type { Manifest } from './manifest.ts'
import type { OnnxDescription } from './onnx-metadata.ts'

type Described = Pick<Manifest, 'features' | 'encoder' | 'decoder' | 'vocab_size'>

export function describeExport(encoder: OnnxDescription): Described {
  const number = (key: string) => readNumber(encoder, key)
  const window = number('window_size')
  const shift = number('chunk_shift')
  const subsampling = number('subsampling_factor')
  const left = number('cache_last_channel_dim2')
  if (shift !== subsampling * (LOOK_AHEADS[0] + 1) || left !== LEFT_CONTEXT_FRAMES) {
    throw new Error(
      `it was exported for a step of ${shift / subsampling} frames behind ${left}; ` +
        `only the export for [${LEFT_CONTEXT_FRAMES}, ${LOOK_AHEADS[0]}] can be served`,
    )
  }
  const normalisation = encoder.metadata.get('normalize_type') ?? ''
  if (normalisation !== '' && normalisation !== 'NA') {
    throw new Error(`it wants features with normalisation ${normalisation}, which does not stream`)
  }
  return {
    features: { mel_bins: melBins(encoder) },
    encoder: {
      layers: number('cache_last_channel_dim1'),
      left,
      dim: number('cache_last_channel_dim3'),
      conv_cache: number('cache_last_time_dim3'),
      subsampling,
      pre_encode_cache: window - shift,
    },
    decoder: { layers: number('pred_rnn_layers'), hidden: number('pred_hidden') },
    vocab_size: number('vocab_size'),
  }
}

/** The prompt slot: the one asked for, else the one of the language (`luo`, or `luo-KE`), else the automatic one. */
export function choosePrompt(
  encoder: OnnxDescription,
  wanted: string | undefined,
  languageCode: string,
): number | null {
  if (!encoder.inputs.some(input => input.name === 'prompt_index')) {
    if (wanted === undefined) return null
    throw new Error('it has no prompts to choose from')
  }
  const slots = readPrompts(encoder)
  if (wanted !== undefined) {
    const slot = slots.get(wanted)
    if (slot !== undefined) return slot
    throw new Error(`it has no prompt ${wanted}; it has ${[...slots.keys()].join(', ')}`)
  }
  const own = [...slots].find(([name]) => name === languageCode || name.startsWith(`${languageCode}-`))
  return own?.[1] ?? readNumber(encoder, 'auto_prompt_id')
}

function readPrompts({ metadata }: OnnxDescription): ReadonlyMap<string, number> {
  const text = metadata.get('prompt_dictionary')
  if (text === undefined) throw new Error('its metadata lacks prompt_dictionary')
  return new Map(Object.entries(JSON.parse(text) as Record<string, number>))
}

function melBins({ inputs }: OnnxDescription): number {
  const bins = inputs[0]!.shape[1]
  if (typeof bins === 'number') return bins
  throw new Error('its input does not fix the number of mel bins')
}

function readNumber({ metadata }: OnnxDescription, key: string): number {
  const text = metadata.get(key)
  const value = Number(text)
  if (text === undefined) throw new Error(`its metadata lacks ${key}`)
  if (!Number.isInteger(value) || value < 0) throw new Error(`its metadata has ${key} "${text}"`)
  return value
}
