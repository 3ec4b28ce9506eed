// Says before anything is sent what will be transcribed and what it costs.

import type { JSX } from 'preact'
import { t } from '../texts/texts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { translateDuration } from '../ui/duration.ts'
import type { Plan } from './plan.ts'

export function PlanDialog({ plan, decide }: { plan: Plan; decide: (go: boolean) => void }): JSX.Element {
  const length = translateDuration(plan.lengthMs)
  const available = translateDuration(plan.coveredMs)
  const isWhole = plan.coveredMs >= plan.lengthMs
  return (
    <Dialog title={t('playground.plan_title', { name: plan.name })} onClose={() => decide(false)}>
      {isWhole && <p>{t('playground.plan_whole', { length, billed: translateDuration(plan.billedMs) })}</p>}
      {!isWhole && plan.coveredMs > 0 && <p>{t('playground.plan_short', { available, length })}</p>}
      {plan.coveredMs === 0 && <p>{t('playground.plan_none')}</p>}
      {plan.sessions > 1 && <p>{t('playground.plan_chained', { sessions: plan.sessions })}</p>}
      <div class="row end">
        <button type="button" class="button quiet" onClick={() => decide(false)}>
          {t('common.cancel')}
        </button>
        {plan.coveredMs > 0 && (
          <button type="button" class="button" onClick={() => decide(true)}>
            {t('playground.plan_start')}
          </button>
        )}
      </div>
    </Dialog>
  )
}
