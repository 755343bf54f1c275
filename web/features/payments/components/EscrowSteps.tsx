// The progress of a booking on its way to being paid: accepted, held, done, released.
import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { classes } from '../../../ui/classes.ts'

const STEPS = ['accepted', 'held', 'done', 'released'] as const

/** `reached` is how many of the four steps are reached; the last of them is the current one. */
export function EscrowSteps({ reached }: { reached: number }) {
  const { t } = useTranslation()
  return (
    <ol className="flex text-xs">
      {STEPS.map((step, index) => {
        const past = index < reached
        const latest = index === reached - 1
        return (
          <li
            key={step}
            aria-current={latest ? 'step' : undefined}
            className={classes(
              'relative flex min-w-0 flex-1 flex-col items-center gap-1 text-center',
              past ? 'text-ink' : 'text-ink-faint',
              latest && 'font-semibold',
            )}
          >
            {index > 0 && (
              <span
                aria-hidden
                className={classes(
                  'absolute end-1/2 top-2.5 h-px w-full',
                  past ? 'bg-success' : 'bg-line-strong/50',
                )}
              />
            )}
            <span
              aria-hidden
              className={classes(
                'relative z-10 grid size-5 place-items-center rounded-full border',
                past ? 'border-success bg-success text-surface' : 'border-line-strong/50 bg-surface',
                latest && 'ring-2 ring-success/30',
              )}
            >
              {past && <Check className="size-3" strokeWidth={3} />}
            </span>
            <span>{t(`payments.steps.${step}`)}</span>
            {past && <span className="sr-only">{t('payments.stepDone')}</span>}
          </li>
        )
      })}
    </ol>
  )
}
