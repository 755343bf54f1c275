// The listed tasks on a map. A marker opens the card of its tasks; after a move, the shown area can be searched.
import { Search } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { kmBetween, type Position } from '../../../../shared/distances.ts'
import { formatMoney } from '../../../lib/format.ts'
import { MAX_RADIUS_KM, MIN_RADIUS_KM } from '../../../lib/radii.ts'
import type { ReadonlyStore } from '../../../lib/store.ts'
import { Button } from '../../../ui/Button.tsx'
import type { Area, MapItem } from '../../../ui/map/geometry.ts'
import MapCanvas from '../../../ui/map/MapCanvas.tsx'
import { areaAround, centreOf } from '../../../ui/map/useMap.ts'
import type { ListedTask } from '../api/openTasks.ts'
import { nearPoint } from '../browsing.ts'
import { ChosenTasks } from './ChosenTasks.tsx'
import type { More, TaskReader } from './TaskList.tsx'

const NONE: ListedTask[] = []

type TaskMapProps = {
  /** Undefined until they are read. */
  tasks: readonly ListedTask[] | undefined
  reader?: TaskReader
  origin: Position | undefined
  /** The searched surroundings. */
  around: Position | undefined
  km: number
  /** The button for more tasks, where there are more. */
  more: More | undefined
  /** The task whose card in the list has the pointer or the focus. */
  pointed: ReadonlyStore<string | undefined>
  /** The task whose card is open. */
  onChosen: (id: string | undefined) => void
  onSearch: (near: string, km: number) => void
}

export default function TaskMap({
  tasks: read,
  reader,
  origin,
  around,
  km,
  more,
  pointed,
  onChosen,
  onSearch,
}: TaskMapProps) {
  const { t } = useTranslation()
  const tasks = read ?? NONE
  const [chosen, setChosen] = useState<string[]>([])
  const [moved, setMoved] = useState<Area>()
  // The map stays where it is when the area that it shows is searched.
  const searched = useRef('')
  const items = useMemo(() => itemsOf(tasks), [tasks])
  const { latitude, longitude } = around ?? {}
  const radius = useMemo(
    () =>
      latitude === undefined || longitude === undefined ? undefined : { center: { latitude, longitude }, km },
    [latitude, longitude, km],
  )
  const area = useMemo(
    () =>
      radius && searched.current !== nearPoint(radius.center)
        ? areaAround(radius.center, radius.km)
        : undefined,
    [radius],
  )
  const search = () => {
    if (!moved) return
    const centre = centreOf(moved)
    searched.current = nearPoint(centre)
    setMoved(undefined)
    const reach = Math.round(kmBetween(centre, { latitude: moved.north, longitude: moved.east }))
    onSearch(searched.current, Math.min(Math.max(reach, MIN_RADIUS_KM), MAX_RADIUS_KM))
  }
  const opened = chosen.flatMap((id) => tasks.find((task) => task.id === id) ?? [])
  return (
    <MapCanvas
      label={t('map.tasks')}
      items={items}
      selected={chosen}
      onSelect={setChosen}
      pointed={pointed}
      {...(area && { area })}
      onMoved={setMoved}
      {...(radius && { radius })}
      className="size-full rounded-lg border border-line"
    >
      {moved && (
        <Button size="sm" className="absolute top-3 left-1/2 -translate-x-1/2 shadow-float" onClick={search}>
          <Search aria-hidden />
          <span>{t('map.searchHere')}</span>
        </Button>
      )}
      {opened.length > 0 && (
        <ChosenTasks
          key={chosen.join()}
          tasks={opened}
          reader={reader}
          origin={origin}
          onShown={onChosen}
          onClose={() => setChosen([])}
        />
      )}
      {opened.length === 0 && (
        <Foot isEmpty={read?.length === 0} listOnly={tasks.length - items.length} more={more} />
      )}
    </MapCanvas>
  )
}

type FootProps = { isEmpty: boolean; listOnly: number; more: More | undefined }

/** That there are no tasks, or how many have no marker, and the button for more. */
function Foot({ isEmpty, listOnly, more }: FootProps) {
  const { t } = useTranslation()
  return (
    <div className="absolute start-2 bottom-2 flex max-w-[70%] flex-col items-start gap-2 max-sm:bottom-12">
      {/* In a wide window the list says it. */}
      <div role="status" className="xl:hidden">
        {isEmpty && (
          <p className="rounded-md bg-surface px-3 py-2 font-semibold shadow-float">{t('tasks.noTasks')}</p>
        )}
      </div>
      {listOnly > 0 && (
        <p className="rounded-md bg-surface px-2 py-1 text-xs text-ink-soft">
          {t('map.listOnly', { count: listOnly })}
        </p>
      )}
      {more && (
        <Button variant="secondary" size="sm" loading={more.loading} onClick={more.onLoad}>
          {t('tasks.loadMore')}
        </Button>
      )}
    </div>
  )
}

/** The markers, each with the pay; a task whose text names no place has none. */
const itemsOf = (tasks: readonly ListedTask[]): MapItem[] =>
  tasks.flatMap(({ id, title, location, pay_amount, public_latitude, public_longitude }) => {
    if (typeof public_latitude !== 'number' || typeof public_longitude !== 'number') return []
    const tag = formatMoney(pay_amount)
    return [
      {
        id,
        tag,
        label: `${title}, ${tag}, ${location}`,
        latitude: public_latitude,
        longitude: public_longitude,
      },
    ]
  })
