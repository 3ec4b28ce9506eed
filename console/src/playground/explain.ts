// What went wrong, in words that help the person in front of the page.

import { findText, t } from '../texts/texts.ts'

export interface Trouble {
  readonly code: string
  readonly message: string
}

export function explain(error: unknown): Trouble {
  const { code = 'unexpected', message } = error as { code?: string; message?: string }
  return { code, message: findText(`trouble.${code}`) ?? message ?? t('trouble.unexpected') }
}
