// The facts of a task, from ../fields.ts: on its card where and when it is, on its page all of them.
import type { TFunction } from 'i18next'
import { type LucideIcon, Navigation } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { kmBetween, type Position } from '../../../../shared/distances.ts'
import { cents } from '../../../../shared/money.ts'
import { clockOf } from '../../../../shared/placeClocks.ts'
import {
  clockWords,
  formatDateTime,
  formatDuration,
  formatKilometres,
  formatMoment,
  formatMoney,
} from '../../../lib/format.ts'
import { pointText } from '../../../lib/points.ts'
import { repeatsFrom, repeatText } from '../../../lib/repeats.ts'
import { OpenInMaps } from '../../../ui/OpenInMaps.tsx'
import type { Task } from '../api/openTasks.ts'
import { type CardFieldName, fieldsOf, PARTS, type TaskFieldName, type TaskValues } from '../fields.ts'

/** The place that its location names decides by which clock its times are shown. */
type Placed = { place_id?: string | null }
type Values = Partial<TaskValues> & Placed
type Shown = { [Name in TaskFieldName]?: (task: Values, t: TFunction) => ReactNode }

/** How values that are not text are shown. */
const ON_CARD: Shown = {
  scheduled_date: ({ scheduled_date: at, ...task }, t) =>
    at ? <time dateTime={at}>{formatDateTime(at, clockOf(task))}</time> : t('tasks.anyTime'),
  duration_minutes: ({ duration_minutes: minutes }, t) =>
    typeof minutes === 'number' && t('tasks.about', { duration: formatDuration(minutes) }),
  repeats: ({ repeats }, t) => {
    const known = repeatsFrom(repeats)
    return known && repeatText(known, t)
  },
}
const ON_PAGE: Shown = {
  ...ON_CARD,
  scheduled_date: ({ scheduled_date: at, ...task }, t) =>
    at ? (
      <span className="in-page-order">
        <time dateTime={at}>{formatMoment(at, clockOf(task))}</time>{' '}
        <span className="text-sm text-ink-faint">{`(${t('tasks.timezone', clockWords(clockOf(task)))})`}</span>
      </span>
    ) : (
      t('tasks.anyTime')
    ),
  address: ({ address, location, point, title }) =>
    address && (
      <>
        <span className="block">{address}</span>
        {!point && <OpenInMaps stops={[`${address}, ${location}`]} of={title ?? address} />}
      </>
    ),
  point: ({ point, title }) =>
    point && (
      <>
        <span dir="ltr" translate="no" className="block">
          {pointText(point)}
        </span>
        <OpenInMaps stops={[point]} of={title ?? pointText(point)} />
      </>
    ),
  expense_limit: ({ expense_limit: limit, repeats }, t) =>
    limit &&
    t(repeats ? 'tasks.expensesUpToVisit' : 'tasks.expensesUpTo', {
      amount: formatMoney(cents(limit), { exact: true }),
    }),
  tools_provided: (task, t) => (
    <>
      <span>{t(task.tools_provided ? 'tasks.toolsProvided' : 'tasks.toolsOwn')}</span>
      {task.tools_description && (
        <span className="mt-1 block whitespace-pre-line text-ink-soft">{task.tools_description}</span>
      )}
    </>
  ),
}

/** Place, time and length of a task, each with its sign; `km`: how far it is from the reader. */
export function TaskFacts({
  task,
  km,
}: {
  task: Pick<TaskValues, CardFieldName> & Placed
  km?: number | undefined
}) {
  const { t } = useTranslation()
  return (
    <ul className="flex flex-col gap-1.5 @max-lg:flex-row @max-lg:flex-wrap @max-lg:gap-x-2 @max-lg:gap-y-0 @max-lg:text-[0.8125rem] @max-lg:leading-snug">
      {fieldsOf(...PARTS).map(({ name, icon }) => {
        const value = icon && shownValue(name, task, t, ON_CARD)
        return (
          icon &&
          value && (
            <Fragment key={name}>
              <SignedFact icon={icon}>{value}</SignedFact>
              {name === 'location' && km !== undefined && (
                <SignedFact icon={Navigation}>{distanceText(km, t)}</SignedFact>
              )}
            </Fragment>
          )
        )
      })}
    </ul>
  )
}

/** Kilometres from there to the task; undefined without a point. */
export function kmFrom(
  origin: Position | undefined,
  { public_latitude: latitude, public_longitude: longitude }: Task,
): number | undefined {
  // An earlier version has kept tasks without a point.
  if (!origin || typeof latitude !== 'number' || typeof longitude !== 'number') return undefined
  return kmBetween(origin, { latitude, longitude })
}

/** `3 km away`, `under 1 km`. */
export const distanceText = (km: number, t: TFunction) =>
  km < 1
    ? t('tasks.under', { distance: formatKilometres(1) })
    : t('tasks.away', { distance: formatKilometres(km) })

/** Everything that a task's page says in short: each fact under its name. */
export function NamedFacts({ task }: { task: TaskValues & Placed }) {
  const { t } = useTranslation()
  return (
    <dl className="grid gap-x-10 gap-y-5 border-t border-line pt-6 sm:grid-cols-2">
      {fieldsOf(...PARTS).map(({ name, fact, text }) => {
        const value = fact && shownValue(name, task, t, ON_PAGE)
        return (
          fact &&
          value && (
            <div key={name} className="min-w-0">
              <dt className="text-sm font-semibold text-ink-soft">{t(fact)}</dt>
              <dd className={text?.rows ? 'mt-0.5 whitespace-pre-line' : 'mt-0.5'}>{value}</dd>
            </div>
          )
        )
      })}
    </dl>
  )
}

function shownValue(name: TaskFieldName, task: Values, t: TFunction, shown: Shown): ReactNode {
  const own = shown[name]
  return own ? own(task, t) : (task[name] as ReactNode)
}

function SignedFact({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <li className="flex min-w-0 items-start gap-2 @max-lg:gap-1">
      <Icon aria-hidden className="mt-[0.3em] size-[1em] shrink-0 text-ink-faint" />
      <span dir="auto" className="cut-words line-clamp-2 min-w-0 @max-lg:line-clamp-1">
        {children}
      </span>
    </li>
  )
}
