// A person's calendars: the address at which their own calendar program reads their bookings, and for taskers the calendars that
// block times.
import { useTranslation } from 'react-i18next'
import { CalendarAddress } from './CalendarAddress.tsx'
import { ImportedCalendars } from './ImportedCalendars.tsx'

export default function CalendarsSection({ userId, imports }: { userId: string; imports: boolean }) {
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
      {imports && <ImportedCalendars userId={userId} />}
    </section>
  )
}
