// The working hours of a tasker among their settings: the week, and days that differ.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { clocksQuery, hoursQuery } from '../api/hours.ts'
import type { OwnProfile } from '../api/queries.ts'
import { OtherDays } from './OtherDays.tsx'
import { RemoveHours } from './RemoveHours.tsx'
import { WeekForm } from './WeekForm.tsx'

export default function HoursSection({ profile }: { profile: OwnProfile }) {
  const { t } = useTranslation()
  const saved = useQuery(hoursQuery(profile.id))
  const clocks = useQuery(clocksQuery(profile.city))
  const failed = [saved, clocks].find(({ isLoadingError }) => isLoadingError)
  return (
    <section aria-labelledby="working-hours" className="mt-8 flex flex-col gap-5 border-t border-line pt-7">
      <div>
        <h2 id="working-hours" className="text-xl">
          {t('hours.title')}
        </h2>
        <p className="mt-1 text-ink-soft">{t('hours.lead')}</p>
      </div>
      {failed ? (
        <ErrorState error={failed.error} onRetry={() => failed.refetch()} />
      ) : saved.data === undefined || !clocks.data ? (
        <Skeleton className="h-96 w-full" />
      ) : (
        <>
          <WeekForm
            key={JSON.stringify(saved.data)}
            userId={profile.id}
            saved={saved.data}
            clocks={clocks.data.clocks}
            home={clocks.data.home}
          />
          {saved.data && (
            <>
              <OtherDays userId={profile.id} timeZone={saved.data.time_zone} />
              <RemoveHours userId={profile.id} />
            </>
          )}
        </>
      )}
    </section>
  )
}
