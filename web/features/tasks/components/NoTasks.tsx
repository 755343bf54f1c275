// Shown on /browse if no task was found.
import { SearchX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { categoryOf } from '../../../../shared/taskKinds.ts'
import { postTaskPath } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Link } from '../../../ui/Link.tsx'
import { EmptyState } from '../../../ui/States.tsx'

/** `onShowAll` is called only when the list is `filtered`; `posts`: the reader may post a task. */
export function NoTasks({
  filtered,
  posts,
  category,
  onShowAll,
}: {
  filtered: boolean
  posts: boolean
  category: string
  onShowAll?: () => void
}) {
  const { t } = useTranslation()
  const postedUnder = categoryOf(category)
  return (
    <EmptyState
      icon={SearchX}
      title={t('tasks.noTasks')}
      body={t(filtered ? 'tasks.noTasksFiltered' : 'tasks.noTasksAtAll')}
      action={
        <div className="flex flex-wrap justify-center gap-3">
          {filtered && (
            <Button variant="secondary" onClick={onShowAll}>
              {t('tasks.clearFilters')}
            </Button>
          )}
          {posts && (
            <Button asChild>
              <Link to={postTaskPath(postedUnder && { category: postedUnder })}>{t('tasks.postOne')}</Link>
            </Button>
          )}
        </div>
      }
    />
  )
}
