// The dashboard until it is known whose it is: nothing of either side is shown before that.
import { useTranslation } from 'react-i18next'
import { Page } from '../../../ui/Page.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'

export function DashboardLoading() {
  const { t } = useTranslation()
  return (
    <div className="in-order">
      <div aria-busy>
        <div className="border-line sm:border-b">
          <div className="measure flex flex-col pt-6 sm:pt-8 sm:pb-20">
            <span role="status" className="sr-only">
              {t('ui.loading')}
            </span>
            <Skeleton className="h-8 w-64 max-w-full sm:h-10" />
            <Skeleton className="mt-2 h-7 w-80 max-w-full" />
            <Skeleton className="mt-5 h-11 w-64 max-sm:hidden" />
          </div>
        </div>
        <Page className="pt-6 sm:pt-8">
          <Skeleton className="mb-3 h-7 w-40 sm:mb-4" />
          <Skeleton className="h-52 rounded-lg sm:h-48" />
        </Page>
      </div>
    </div>
  )
}
