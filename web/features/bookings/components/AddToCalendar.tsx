// A menu that adds an agreed booking to a calendar: a file, or the page of a web calendar. Loaded with such a booking.
import { CalendarPlus, Download, ExternalLink } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { download } from '../../../lib/download.ts'
import { Button } from '../../../ui/Button.tsx'
import { DropdownMenu, MenuItem } from '../../../ui/DropdownMenu.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import type { Booking, Side } from '../api/queries.ts'
import { calendarEventOf, googleLink, nameInEvent, outlookLink } from '../calendarEvent.ts'

export default function AddToCalendar({ booking, side }: { booking: Booking; side: Side }) {
  const { t } = useTranslation()
  const { title } = booking.task
  const person = nameInEvent(booking, side)
  const words = {
    title:
      person === null
        ? title
        : t(side === 'tasker' ? 'calendars.add.asTasker' : 'calendars.add.asGiver', { title, person }),
    open: (link: string) => t('calendars.add.open', { link }),
  }
  const event = calendarEventOf(booking, words, location.origin)
  if (!event) return null
  const save = async () => {
    try {
      const { calendarFile } = await import('../../../../shared/calendarFile.ts')
      download('meadowlark.ics', new Blob([calendarFile(null, [event])], { type: 'text/calendar' }))
    } catch {
      toast.error(t('calendars.add.failed'))
    }
  }
  return (
    <DropdownMenu
      align="start"
      trigger={
        <Button variant="secondary" size="sm">
          <CalendarPlus aria-hidden />
          <span>{t('calendars.add.button')}</span>
        </Button>
      }
    >
      <MenuItem onSelect={() => void save()}>
        <Download aria-hidden />
        <span>{t('calendars.add.file')}</span>
      </MenuItem>
      <PageItem name="Google Calendar" address={googleLink(event)} />
      <PageItem name="Outlook" address={outlookLink(event)} />
    </DropdownMenu>
  )
}

function PageItem({ name, address }: { name: string; address: string }) {
  return (
    <MenuItem asChild>
      <a href={address} target="_blank" rel="noreferrer">
        <ExternalLink aria-hidden />
        <span translate="no">{name}</span>
      </a>
    </MenuItem>
  )
}
