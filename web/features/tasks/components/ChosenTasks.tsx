// The card over the map for the tasks of one marker. Several tasks at one point are shown one after the other.
import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Position } from '../../../../shared/distances.ts'
import { useBackSteps } from '../../../ui/useBackSteps.ts'
import type { ListedTask } from '../api/openTasks.ts'
import { ReaderCard, type TaskReader } from './TaskList.tsx'

type ChosenTasksProps = {
  tasks: ListedTask[]
  reader: TaskReader | undefined
  origin: Position | undefined
  onClose: () => void
}

/** Takes the focus from the marker, and gives it back. */
export function ChosenTasks({ tasks, reader, origin, onClose }: ChosenTasksProps) {
  const { t } = useTranslation()
  const panel = useRef<HTMLDivElement>(null)
  const marker = useRef<HTMLElement>(null)
  const [index, setIndex] = useState(0)
  const shown = Math.min(index, tasks.length - 1)
  const task = tasks[shown]
  useEffect(() => {
    marker.current = document.activeElement as HTMLElement
    panel.current?.focus({ preventScroll: true })
  }, [])
  const close = () => {
    onClose()
    marker.current?.focus({ preventScroll: true })
  }
  useBackSteps(1, close)
  const turn = (by: number) => setIndex((shown + by + tasks.length) % tasks.length)
  return (
    <section
      ref={panel}
      aria-label={t('map.several', { count: tasks.length })}
      tabIndex={-1}
      onKeyDown={(event) => event.key === 'Escape' && close()}
      className="absolute inset-x-2 bottom-2 z-10 mx-auto flex max-h-[80%] max-w-xl flex-col overflow-hidden rounded-lg border border-line bg-paper shadow-float"
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
      <div className="overflow-y-auto p-2 pt-0">
        {task && <ReaderCard key={task.id} task={task} reader={reader} origin={origin} />}
      </div>
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
