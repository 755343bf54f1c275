// The tasker's photos of the place before the work and of the work that is done.
import { useTranslation } from 'react-i18next'
import { PhotoGrid } from '../../../ui/photos/PhotoGrid.tsx'
import type { Booking } from '../api/queries.ts'

export function WorkPhotos({ booking }: { booking: Booking }) {
  const { t } = useTranslation()
  return [
    { label: t('bookings.beforePhotos'), names: booking.before_photos },
    { label: t('bookings.workPhotos'), names: booking.completion_photos },
  ]
    .filter(({ names }) => names.length > 0)
    .map(({ label, names }) => (
      <figure key={label} className="mt-4">
        <figcaption className="mb-2 text-sm text-ink-faint">{label}</figcaption>
        <PhotoGrid bucket="booking-photos" names={names} subject={booking.task.title} />
      </figure>
    ))
}
