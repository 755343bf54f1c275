// The panel over the map for the tasks of one marker. Several tasks at one point are shown one after the other. It has the card of
// the task, or only its title next to a list that has the card.
import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Position } from '../../../../shared/distances.ts'
import { taskPath } from '../../../lib/paths.ts'
import { Link } from '../../../ui/Link.tsx'
import { useBackSteps } from '../../../ui/useBackSteps.ts'
import { useWide } from '../../../ui/windowWidth.ts'
import type { ListedTask } from '../api/openTasks.ts'
import { ReaderCard, type TaskReader } from './TaskList.tsx'

type ChosenTasksProps = {
  tasks: ListedTask[]
  reader: TaskReader | undefined
  origin: Position | undefined
  /** Called with the shown task, and without one at the end. */
  onShown: (id: string | undefined) => void
  onClose: () => void
}

/** Takes the focus, and gives it to the marker at the end. */
export function ChosenTasks({ tasks, reader, origin, onShown, onClose }: ChosenTasksProps) {
  const { t } = useTranslation()
  const panel = useRef<HTMLDivElement>(null)
  const [index, setIndex] = useState(0)
  const shown = Math.min(index, tasks.length - 1)
  const task = tasks[shown]
  useEffect(() => {
    panel.current?.focus({ preventScroll: true })
  }, [])
  const isWide = useWide()
  const id = task?.id
  useEffect(() => {
    onShown(id)
    return () => onShown(undefined)
  }, [id, onShown])
  const close = () => {
    // The map takes presses of the pointer, so the marker has not always had the focus.
    const marker = panel.current?.parentElement?.querySelector<HTMLElement>('[aria-pressed=true]')
    onClose()
    marker?.focus({ preventScroll: true })
  }
  useBackSteps(1, close)
  const turn = (by: number) => setIndex((shown + by + tasks.length) % tasks.length)
  return (
    <section
      ref={panel}
      aria-label={t('map.several', { count: tasks.length })}
      tabIndex={-1}
      data-panel=""
      onKeyDown={(event) => event.key === 'Escape' && close()}
      className="absolute inset-x-2 bottom-2 z-10 mx-auto flex max-h-[80%] max-w-xl flex-col overflow-hidden rounded-lg border border-line bg-paper shadow-float xl:inset-x-16 xl:top-16 xl:bottom-auto xl:max-w-md"
    >
      <div className="flex items-center gap-1 ps-3">
        <p aria-live="polite" className="me-auto text-sm font-semibold">
          {tasks.length > 1
            ? t('map.position', { index: shown + 1, total: tasks.length })
            : t('map.several', { count: 1 })}
        </p>
        {tasks.length > 1 && (
          <>
            <IconButton label={t('map.previous')} onClick={() => turn(-1)}>
              <ChevronLeft aria-hidden className="size-5 rtl:rotate-180" />
            </IconButton>
            <IconButton label={t('map.next')} onClick={() => turn(1)}>
              <ChevronRight aria-hidden className="size-5 rtl:rotate-180" />
            </IconButton>
          </>
        )}
        <IconButton label={t('ui.close')} onClick={close}>
          <X aria-hidden className="size-5" />
        </IconButton>
      </div>
      {task && isWide && (
        <div className="px-3 pb-3">
          <h2 dir="auto" className="cut-words line-clamp-2 text-lg leading-snug wrap-anywhere">
            <Link to={taskPath(task.id)} className="hover:underline">
              {task.title}
            </Link>
          </h2>
          <p dir="auto" className="truncate text-sm text-ink-soft">
            {task.location}
          </p>
        </div>
      )}
      {task && !isWide && (
        <div className="overflow-y-auto p-2 pt-0">
          <ReaderCard key={task.id} task={task} reader={reader} origin={origin} />
        </div>
      )}
    </section>
  )
}

type IconButtonProps = { label: string; onClick: () => void; children: ReactNode }

function IconButton({ label, onClick, children }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className="grid size-11 place-items-center rounded-md text-ink-soft hover:text-ink"
    >
      {children}
    </button>
  )
}
