// A button for each day on which the tasker has several jobs; it opens their route.
import { Route } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatWeekday } from '../../../lib/format.ts'
import { Button } from '../../../ui/Button.tsx'
import type { Booking } from '../api/queries.ts'
import { dayRoutes } from '../dayRoutes.ts'

const RouteDialog = lazy(() => import('./RouteDialog.tsx'))

export function DayRoutes({ bookings }: { bookings: Booking[] }) {
  const { t } = useTranslation()
  const [openDay, setOpenDay] = useState<string | null>(null)
  const routes = dayRoutes(bookings)
  const opened = routes.find(({ day }) => day === openDay)
  if (routes.length === 0) return null
  return (
    <>
      <ul className="flex flex-wrap gap-2">
        {routes.map(({ day, stops }) => (
          <li key={day} className="max-w-full">
            <Button variant="secondary" onClick={() => setOpenDay(day)}>
              <Route aria-hidden />
              <span>
                {t('bookings.viewRoute', { count: stops.length, day: formatWeekday(stops[0]?.at ?? day) })}
              </span>
            </Button>
          </li>
        ))}
      </ul>
      <Suspense>{opened && <RouteDialog route={opened} onClose={() => setOpenDay(null)} />}</Suspense>
    </>
  )
}
