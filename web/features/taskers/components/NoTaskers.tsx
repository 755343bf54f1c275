// Shown on /find-taskers if no tasker was found.
import { UserSearch } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { postTaskPath } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Link } from '../../../ui/Link.tsx'
import { EmptyState } from '../../../ui/States.tsx'
import type { TaskerFilters } from '../filters.ts'

/** `onShowAll` is called only when the list is `narrowed`; `posts`: the reader may post a task, which begins with what was chosen. */
export function NoTaskers({
  narrowed,
  posts,
  category = '',
  free = '',
  minutes = '',
  onShowAll,
}: Partial<Pick<TaskerFilters, 'category' | 'free' | 'minutes'>> & {
  narrowed: boolean
  posts: boolean
  onShowAll?: () => void
}) {
  const { t } = useTranslation()
  return (
    <EmptyState
      icon={UserSearch}
      title={t('taskers.none')}
      body={t(free ? 'hours.freeNobody' : narrowed ? 'taskers.noneSearch' : 'taskers.noneYet')}
      // As high as the list for which room was kept: what is below it does not move.
      className={narrowed ? undefined : 'min-h-dvh'}
      action={
        <div className="flex flex-wrap justify-center gap-3">
          {narrowed && (
            <Button variant="secondary" onClick={onShowAll}>
              {t('taskers.showAll')}
            </Button>
          )}
          {posts && (
            <Button asChild>
              <Link to={postTaskPath({ ...(category && { category }), ...(free && { at: free, minutes }) })}>
                {t('taskers.post')}
              </Link>
            </Button>
          )}
        </div>
      }
    />
  )
}
