// The progress strip: four steps, which are done, which is now.
import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { classes } from '../../../ui/classes.ts'

const NAMES = [
  'verification.legal',
  'verification.identity',
  'verification.skillsStep',
  'verification.tax',
] as const

export function StepStrip({ step }: { step: number }) {
  const { t } = useTranslation()
  return (
    <ol
      aria-label={t('verification.progress')}
      className="mb-7 grid grid-cols-[repeat(4,auto)] gap-2 min-[22rem]:grid-cols-[repeat(4,minmax(max-content,1fr))]"
    >
      {NAMES.map((name, index) => (
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
            <span>{t(name)}</span>
            {index < step && <span className="sr-only">{`, ${t('verification.done')}`}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}
