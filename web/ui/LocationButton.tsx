// Asks for the device's position when it is pressed; says why it is needed and, if there is none, why not.
import { LocateFixed } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { Position } from '../../shared/distances.ts'
import { useLocating } from '../lib/useLocating.ts'
import { Button, type ButtonProps } from './Button.tsx'
import { classes } from './classes.ts'
import { FieldError } from './form/Field.tsx'

type LocationButtonProps = Pick<ButtonProps, 'variant' | 'size'> & {
  /** The use of the position, and where it is stored. */
  reason: string
  onFound: (position: Position) => void
  /** Asks for a precise position, not one of a few minutes ago. */
  exact?: boolean
}

export function LocationButton({ reason, onFound, exact, ...looks }: LocationButtonProps) {
  const { t } = useTranslation()
  const why = useId()
  const { begin, isPending, problem } = useLocating(onFound, exact)
  return (
    <div className="flex flex-col items-start gap-1.5">
      <Button {...looks} aria-describedby={why} loading={isPending} onClick={() => void begin()}>
        <LocateFixed aria-hidden />
        <span>{t('near.useLocation')}</span>
      </Button>
      <p id={why} className={classes('text-ink-faint', looks.size === 'sm' ? 'text-xs' : 'text-sm')}>
        {reason}
      </p>
      {problem && <FieldError>{t(`near.problem.${problem}`)}</FieldError>}
    </div>
  )
}
