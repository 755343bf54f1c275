// The heart that saves a tasker to one's own list. Whoever is not signed in is asked to, and comes back.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { signInPath } from '../../../lib/paths.ts'
import { useRole, useSession } from '../../../lib/session.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { favouriteIdsQuery, saveTasker } from '../api/favourites.ts'
import { Heart, type HeartProps } from './Heart.tsx'

/** Nothing for taskers, who hire nobody. */
export function FavouriteButton({ taskerId, name, className }: HeartProps) {
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
    <Heart
      taskerId={taskerId}
      name={name}
      saved={shown}
      onClick={() => (user ? saving.mutate(!shown) : navigate(signInPath(pathname + search)))}
      className={className}
    />
  )
}
