// The jobs of a day in order of time: a list with the distances between, their sum, and a map. Loaded when it is opened.
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDistance, formatNumber, formatTime, formatWeekday, withClock } from '../../../lib/format.ts'
import { MAX_STOPS } from '../../../lib/points.ts'
import { classes } from '../../../ui/classes.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { OpenInMaps } from '../../../ui/OpenInMaps.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import type { DayRoute, Stop } from '../dayRoutes.ts'

const MapCanvas = lazy(() => import('../../../ui/map/MapCanvas.tsx'))
const MAP_SIZE = 'h-64 w-full rounded-lg border border-line sm:h-full sm:min-h-80'

export default function RouteDialog({ route, onClose }: { route: DayRoute; onClose: () => void }) {
  const { t } = useTranslation()
  const { stops } = route
  const [selected, setSelected] = useState<string[]>([])
  const items = useMapItems(stops)
  const title = t('routes.title', { day: formatWeekday(stops[0]?.at ?? route.day) })
  return (
    <Dialog open onOpenChange={onClose} size="lg" title={title} description={<Total route={route} />}>
      <div className="grid gap-5 sm:grid-cols-2">
        <div>
          <ol className="flex flex-col gap-2">
            {stops.map((stop, index) => (
              <StopItem key={stop.id} stop={stop} number={index + 1} isChosen={selected.includes(stop.id)} />
            ))}
          </ol>
          <OpenInMaps
            stops={stops.map(({ target }) => target)}
            of={title}
            text={t('routes.openAll')}
            className="mt-3 font-semibold"
          />
          {stops.length > MAX_STOPS && (
            <p className="text-sm text-ink-soft">
              {t('routes.firstStops', { number: formatNumber(MAX_STOPS) })}
            </p>
          )}
        </div>
        {items.length > 0 && (
          <Suspense fallback={<Skeleton className={MAP_SIZE} />}>
            <MapCanvas
              label={t('routes.map')}
              items={items}
              isRoute
              closest={14}
              selected={selected}
              onSelect={setSelected}
              className={MAP_SIZE}
            />
          </Suspense>
        )}
      </div>
    </Dialog>
  )
}

/** The list is read again every minute; the same route must not move the map or draw it anew. */
function useMapItems(stops: Stop[]) {
  const items = stops.flatMap(({ id, title, position }, index) => {
    const tag = formatNumber(index + 1)
    return position ? [{ ...position, id, tag, label: `${tag}. ${title}` }] : []
  })
  const key = JSON.stringify(items)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the content of the items
  return useMemo(() => items, [key])
}

function Total({ route: { km, isAbout, isWhole } }: { route: DayRoute }) {
  const { t } = useTranslation()
  if (km === null) return <span>{t('routes.unknown')}</span>
  const text = !isWhole ? 'totalKnown' : isAbout ? 'totalAbout' : 'total'
  return <span>{t(`routes.${text}`, { distance: formatDistance(km) })}</span>
}

type StopItemProps = { stop: Stop; number: number; isChosen: boolean }

function StopItem({ stop, number, isChosen }: StopItemProps) {
  const { title, place, at, timeZone, target } = stop
  return (
    <li
      aria-current={isChosen || undefined}
      className={classes(
        'grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 rounded-lg border p-3',
        isChosen ? 'border-ink bg-wheat-soft' : 'border-line',
      )}
    >
      <span
        aria-hidden
        className="tabular grid size-8 place-items-center rounded-full border-2 border-wheat-deep bg-surface text-sm font-semibold text-ink"
      >
        {formatNumber(number)}
      </span>
      <div>
        <p className="tabular text-sm text-ink-soft">
          <span>{withClock(formatTime(at, timeZone), at, timeZone)}</span>
          {number > 1 && (
            <>
              <span>{' · '}</span>
              <Leg stop={stop} />
            </>
          )}
        </p>
        <h3 className="font-semibold wrap-anywhere">
          <bdi>{title}</bdi>
        </h3>
        <p className="text-sm wrap-anywhere text-ink-soft">
          <bdi>{place}</bdi>
        </p>
        <OpenInMaps stops={[target]} of={title} className="text-sm" />
      </div>
    </li>
  )
}

function Leg({ stop: { km, isAbout } }: { stop: Stop }) {
  const { t } = useTranslation()
  if (km === null) return <span>{t('routes.unknown')}</span>
  return <span>{t(isAbout ? 'routes.legAbout' : 'routes.leg', { distance: formatDistance(km) })}</span>
}
