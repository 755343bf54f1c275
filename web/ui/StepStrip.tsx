// The progress strip of a form in steps: which are done, which is now.
import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { classes } from './classes.ts'

type StepStripProps = {
  /** Name of the steps, for screen readers. */
  label: string
  names: string[]
  /** The one that is now, from 0. */
  step: number
  className?: string
}

/** `<StepStrip label={t('…')} names={['What', 'Where', 'Price']} step={1} />` */
export function StepStrip({ label, names, step, className }: StepStripProps) {
  const { t } = useTranslation()
  return (
    <ol
      aria-label={label}
      className={classes(
        'grid auto-cols-auto grid-flow-col gap-2 min-[22rem]:auto-cols-[minmax(max-content,1fr)]',
        className,
      )}
    >
      {names.map((name, index) => (
        <li
          key={name}
          aria-current={index === step ? 'step' : undefined}
          className={classes(
            'flex items-center gap-1.5 border-t-4 pt-2 text-sm font-semibold max-sm:text-xs',
            index < step
              ? 'border-success'
              : index === step
                ? 'border-wheat-deep'
                : 'border-line text-ink-faint',
          )}
        >
          {/* At 360 px a word and a check do not fit side by side; the line's colour says it there. */}
          {index < step && <Check aria-hidden className="hidden size-4 shrink-0 text-success sm:block" />}
          <span className="min-w-0 hyphens-auto">
            <span>{name}</span>
            {index < step && <span className="sr-only">{`, ${t('ui.stepDone')}`}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}
