// The heart that saves a tasker to one's own list. Whoever is not signed in is asked to, and comes back.
import { useQuery } from '@tanstack/react-query'
import { Heart } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { signInPath } from '../../lib/paths.ts'
import { useRole, useSession } from '../../lib/session.tsx'
import { classes } from '../../ui/classes.ts'
import { useAction } from '../../ui/useAction.ts'
import { favouriteIdsQuery, saveTasker } from './api/favourites.ts'

/** Nothing for taskers, who hire nobody. */
export function FavouriteButton({
  taskerId,
  name,
  className,
}: {
  taskerId: string
  name: string
  className?: string
}) {
  const { t } = useTranslation()
  const { user } = useSession()
  const role = useRole()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const saved = useQuery(favouriteIdsQuery(user?.id))
  const saving = useAction(saveTasker(user?.id ?? '', taskerId), { onError: t('taskers.saveFailed') })
  if (role === 'task_doer' || taskerId === user?.id) return null
  const shown = saving.isPending ? saving.variables : (saved.data?.has(taskerId) ?? false)
  return (
    <button
      type="button"
      aria-pressed={shown}
      aria-label={t('taskers.saveNamed', { name })}
      title={t(shown ? 'taskers.unsave' : 'taskers.save')}
      onClick={() => (user ? saving.mutate(!shown) : navigate(signInPath(pathname + search)))}
      className={classes(
        'grid size-11 shrink-0 place-items-center rounded-full text-ink-soft transition-colors hover:bg-sunken hover:text-ink',
        className,
      )}
    >
      <Heart
        aria-hidden
        className={classes('size-5 transition-colors', shown && 'fill-danger text-danger')}
      />
    </button>
  )
}
