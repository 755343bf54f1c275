// Shown on /find-taskers if no tasker was found.
import { UserSearch } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { postTaskPath } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Link } from '../../../ui/Link.tsx'
import { EmptyState } from '../../../ui/States.tsx'

/** `onShowAll` is called only when the list is `narrowed`; `posts`: the reader may post a task. */
export function NoTaskers({
  narrowed,
  posts,
  category,
  onShowAll,
}: {
  narrowed: boolean
  posts: boolean
  category: string
  onShowAll?: () => void
}) {
  const { t } = useTranslation()
  return (
    <EmptyState
      icon={UserSearch}
      title={t('taskers.none')}
      body={narrowed ? t('taskers.noneSearch') : t('taskers.noneYet')}
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
              <Link to={postTaskPath(category ? { category } : {})}>{t('taskers.post')}</Link>
            </Button>
          )}
        </div>
      }
    />
  )
}
