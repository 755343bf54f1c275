// The listed tasks on a map. A marker opens the cards of its tasks; after a move, the shown area can be searched.
import { Search, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { kmBetween, type Position } from '../../../../shared/distances.ts'
import { formatMoney } from '../../../lib/format.ts'
import { MAX_RADIUS_KM, MIN_RADIUS_KM } from '../../../lib/radii.ts'
import { Button } from '../../../ui/Button.tsx'
import type { Area, MapItem } from '../../../ui/map/geometry.ts'
import MapCanvas from '../../../ui/map/MapCanvas.tsx'
import { areaAround, centreOf } from '../../../ui/map/useMap.ts'
import type { ListedTask } from '../api/openTasks.ts'
import { nearPoint } from '../browsing.ts'
import { ReaderCard, type TaskReader } from './TaskList.tsx'

type TaskMapProps = {
  tasks: readonly ListedTask[]
  reader?: TaskReader
  origin: Position | undefined
  /** The searched surroundings. */
  around: Position | undefined
  km: number
  onSearch: (near: string, km: number) => void
}

export default function TaskMap({ tasks, reader, origin, around, km, onSearch }: TaskMapProps) {
  const { t } = useTranslation()
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
  const listOnly = tasks.length - items.length
  return (
    <MapCanvas
      label={t('map.tasks')}
      items={items}
      selected={chosen}
      onSelect={setChosen}
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
        <ChosenTasks tasks={opened} reader={reader} origin={origin} onClose={() => setChosen([])} />
      )}
      {listOnly > 0 && opened.length === 0 && (
        <p className="absolute start-2 bottom-2 max-w-[70%] rounded-md bg-surface px-2 py-1 text-xs text-ink-soft">
          {t('map.listOnly', { count: listOnly })}
        </p>
      )}
    </MapCanvas>
  )
}

type ChosenTasksProps = {
  tasks: ListedTask[]
  reader: TaskReader | undefined
  origin: Position | undefined
  onClose: () => void
}

/** Takes the focus from the marker, and gives it back. */
function ChosenTasks({ tasks, reader, origin, onClose }: ChosenTasksProps) {
  const { t } = useTranslation()
  const panel = useRef<HTMLDivElement>(null)
  const marker = useRef<HTMLElement>(null)
  const ids = tasks.map(({ id }) => id).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: other tasks are another panel
  useEffect(() => {
    if (!panel.current?.contains(document.activeElement))
      marker.current = document.activeElement as HTMLElement
    panel.current?.focus({ preventScroll: true })
  }, [ids])
  const close = () => {
    onClose()
    marker.current?.focus({ preventScroll: true })
  }
  return (
    <section
      ref={panel}
      aria-label={t('map.several', { count: tasks.length })}
      tabIndex={-1}
      onKeyDown={(event) => event.key === 'Escape' && close()}
      className="absolute inset-x-2 bottom-2 z-10 flex max-h-[75%] flex-col overflow-hidden rounded-lg border border-line bg-paper shadow-float"
    >
      <div className="flex items-center justify-between ps-3">
        <p className="text-sm font-semibold">{t('map.several', { count: tasks.length })}</p>
        <button
          type="button"
          aria-label={t('ui.close')}
          onClick={close}
          className="grid size-11 place-items-center rounded-md text-ink-soft hover:text-ink"
        >
          <X aria-hidden className="size-5" />
        </button>
      </div>
      <ul className="flex flex-col gap-2 overflow-y-auto p-2 pt-0">
        {tasks.map((task) => (
          <li key={task.id}>
            <ReaderCard task={task} reader={reader} origin={origin} />
          </li>
        ))}
      </ul>
    </section>
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
