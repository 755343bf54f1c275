// The badges that a person has earned, each with how it is earned. The database decides who has which (public.badges).
import {
  Award,
  BadgeCheck,
  CalendarClock,
  type LucideIcon,
  Medal,
  MessageCircleReply,
  Sprout,
  Star,
  Umbrella,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { classes } from './classes.ts'
import { DeferredPopup } from './Deferred.tsx'

/** In the order in which they are shown. */
const icons = {
  verified: BadgeCheck,
  top_rated: Star,
  fifty_jobs: Medal,
  ten_jobs: Award,
  first_job: Sprout,
  always_on_time: CalendarClock,
  quick_to_respond: MessageCircleReply,
  insured: Umbrella,
} satisfies Record<string, LucideIcon>

type BadgeName = keyof typeof icons
const names = Object.keys(icons) as BadgeName[]
/** A greater number of jobs says the smaller ones, too. */
const includes: Partial<Record<BadgeName, BadgeName[]>> = {
  fifty_jobs: ['ten_jobs', 'first_job'],
  ten_jobs: ['first_job'],
}

function shownOf(earned: string[]): BadgeName[] {
  const implied = names.filter((name) => earned.includes(name)).flatMap((name) => includes[name] ?? [])
  return names.filter((name) => earned.includes(name) && !implied.includes(name))
}

/** All of them with how each is earned; nothing when there are none. */
export function BadgeList({ earned, className }: { earned: string[]; className?: string }) {
  const { t } = useTranslation()
  return (
    <ul className={classes('grid gap-x-8 gap-y-4', className)}>
      {shownOf(earned).map((name) => (
        <li key={name} className="flex items-start gap-3">
          <BadgeSign name={name} />
          <span className="min-w-0">
            <span className="block font-semibold">{t(`ui.badges.${name}.name`)}</span>
            <span className="block text-sm text-ink-soft">{t(`ui.badges.${name}.how`)}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Their signs in a row, for a card: a press tells what each is and how it is earned. `person` is the name. */
export function BadgeSigns({
  earned,
  person,
  className,
}: {
  earned: string[]
  person: string
  className?: string
}) {
  const { t, i18n } = useTranslation()
  const shown = shownOf(earned)
  if (shown.length === 0) return null
  const label = t('ui.badgesOf', { name: person })
  const all = new Intl.ListFormat(i18n.language).format(shown.map((name) => t(`ui.badges.${name}.name`)))
  return (
    <DeferredPopup
      kind="dialog"
      load={async () => {
        const { InfoPopover } = await import('./InfoPopover.tsx')
        return {
          default: ({ trigger }) => (
            <InfoPopover trigger={trigger} label={label}>
              <BadgeList earned={earned} />
            </InfoPopover>
          ),
        }
      }}
    >
      <button
        type="button"
        aria-label={t('ui.labelled', { label, value: all })}
        className={classes(
          'flex min-h-9 items-center gap-1 rounded-full pe-2 max-sm:gap-0.5 max-sm:pe-0.5 hover:bg-sunken data-[state=open]:bg-sunken',
          className,
        )}
      >
        {shown.map((name) => (
          <BadgeSign key={name} name={name} small />
        ))}
      </button>
    </DeferredPopup>
  )
}

function BadgeSign({ name, small = false }: { name: BadgeName; small?: boolean }) {
  const Icon = icons[name]
  return (
    <span
      aria-hidden
      className={classes(
        'grid shrink-0 place-items-center rounded-full bg-wheat-soft text-wheat-ink',
        small ? 'size-7 max-sm:size-5.5' : 'size-10',
      )}
    >
      <Icon className={small ? 'size-4 max-sm:size-3.5' : 'size-5'} />
    </span>
  )
}
