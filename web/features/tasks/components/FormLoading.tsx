// The form of a task while what fills it is read.
import { useTranslation } from 'react-i18next'
import { Skeleton } from '../../../ui/Skeleton.tsx'

export function FormLoading() {
  const { t } = useTranslation()
  return (
    <div aria-busy className="flex max-w-2xl flex-col gap-6">
      <span role="status" className="sr-only">
        {t('ui.loading')}
      </span>
      <Skeleton className="h-11" />
      <Skeleton className="h-32" />
      <Skeleton className="h-11" />
      <Skeleton className="h-11" />
    </div>
  )
}
