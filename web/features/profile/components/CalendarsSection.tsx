// A person's calendars: the address at which their own calendar program reads their bookings.
import { useTranslation } from 'react-i18next'
import { CalendarAddress } from './CalendarAddress.tsx'

export default function CalendarsSection({ userId }: { userId: string }) {
  const { t } = useTranslation()
  return (
    <section
      id="calendars"
      aria-labelledby="calendars-title"
      className="mt-8 flex scroll-mt-20 flex-col gap-7 border-t border-line pt-7"
    >
      <h2 id="calendars-title" className="text-xl">
        {t('calendars.title')}
      </h2>
      <CalendarAddress userId={userId} />
    </section>
  )
}
