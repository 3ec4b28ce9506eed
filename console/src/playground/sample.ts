// A bundled recording for those who cannot speak right now: no microphone, a quiet office, another language.

import type { SampleClipList } from '@sauti/protocol/console'
import type { ModelId } from '@sauti/protocol/models'
import { get } from '../app/api.ts'

export async function fetchSample(model: ModelId): Promise<Blob> {
  const { data } = await get<SampleClipList>('/demo/clips')
  const clip = data.find(one => one.model === model)
  if (clip === undefined) throw new Error('This server has no sample in this language.')
  const answer = await fetch(clip.audio_url)
  if (!answer.ok) throw new Error('The sample could not be loaded. Try again in a moment.')
  return answer.blob()
}
