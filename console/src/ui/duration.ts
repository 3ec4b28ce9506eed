// Durations on pages that are translated.

import { t } from '../texts/texts.ts'
import { formatDuration } from './format.ts'

export function translateDuration(ms: number): string {
  return formatDuration(ms, {
    hours: count => t('duration.hours', { count }),
    minutes: count => t('duration.minutes', { count }),
    seconds: count => t('duration.seconds', { count }),
  })
}
