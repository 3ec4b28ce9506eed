// A bundled recording for people who cannot speak right now: no microphone, a quiet office, another language.

import { SautiError } from '@sauti/client'
import type { SampleClipList } from '@sauti/protocol/console'
import type { ModelId } from '@sauti/protocol/models'
import { get } from '../app/api.ts'
import { t } from '../texts/texts.ts'

export async function fetchSample(model: ModelId): Promise<File> {
  const { data } = await get<SampleClipList>('/demo/clips')
  const clip = data.find(one => one.model === model)
  if (clip === undefined) throw new SautiError('no_sample', t('trouble.no_sample'))
  const answer = await fetch(clip.audio_url)
  if (!answer.ok) throw new SautiError('sample_failed', t('trouble.sample_failed'))
  return new File([await answer.blob()], `${clip.title}.wav`)
}
