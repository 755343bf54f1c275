// The heart of a tasker's card, as it looks.
import { Heart as HeartIcon } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { classes } from '../../../ui/classes.ts'

export type HeartProps = { taskerId: string; name: string; className?: string }

/** `saved`: the tasker is among the person's own. */
export function Heart({
  name,
  saved = false,
  onClick,
  className,
}: HeartProps & { saved?: boolean; onClick?: () => void }) {
  const { t } = useTranslation()
  return (
    <button
      type="button"
      aria-pressed={saved}
      aria-label={t('taskers.saveNamed', { name })}
      title={t(saved ? 'taskers.unsave' : 'taskers.save')}
      onClick={onClick}
      className={classes(
        'grid size-11 shrink-0 place-items-center rounded-full text-ink-soft transition-colors hover:bg-sunken hover:text-ink',
        className,
      )}
    >
      <HeartIcon
        aria-hidden
        className={classes('size-5 transition-colors', saved && 'fill-danger text-danger')}
      />
    </button>
  )
}
