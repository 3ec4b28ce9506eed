// The models that the interface names (spec 2.1). What a model is made of concerns only the recogniser.

export interface ModelDescription {
  readonly id: string
  readonly language: string
  readonly languageCode: string
}

export const MODELS = [
  { id: 'svc-asr-kikuyu-v1', language: 'Kikuyu', languageCode: 'ki' },
  { id: 'svc-asr-dholuo-v1', language: 'Dholuo', languageCode: 'luo' },
] as const satisfies readonly ModelDescription[]

/** The languages for a sentence: "Kikuyu and Dholuo". */
export const LANGUAGES_IN_WORDS = new Intl.ListFormat('en').format(MODELS.map(({ language }) => language))

export type ModelId = (typeof MODELS)[number]['id']

export const MODEL_IDS: readonly ModelId[] = MODELS.map(model => model.id)

export function findModel(id: string): (typeof MODELS)[number] | undefined {
  return MODELS.find(model => model.id === id)
}

export function isModelId(id: string): id is ModelId {
  return findModel(id) !== undefined
}
