// Open tasks as cards, with how many there are and the button for more.
import { useTranslation } from 'react-i18next'
import type { Position } from '../../../../shared/distances.ts'
import { formatNumber } from '../../../lib/format.ts'
import { Button } from '../../../ui/Button.tsx'
import { VirtualGrid } from '../../../ui/VirtualGrid.tsx'
import { type ListedTask, MAX_COUNTED } from '../api/openTasks.ts'
import { TaskCard } from './TaskCard.tsx'
import { kmFrom } from './TaskFacts.tsx'

export type TaskReader = { id: string | undefined; isDoer: boolean; applied: string[] | undefined }

export type More = { loading: boolean; onLoad(): void }

type TaskListProps = {
  tasks: ListedTask[]
  /** Absent for strangers. */
  reader?: TaskReader
  /** All cards in one column, next to a map. */
  isNarrow?: boolean
  /** The id of the task whose marker on the map was chosen. */
  current?: string | undefined
  /** Where distances are measured from. */
  origin?: Position | undefined
  /** The button for more, where there are more. */
  more?: More | undefined
  gradual?: boolean
}

export function TaskList({ tasks, reader, isNarrow, current, origin, more, gradual }: TaskListProps) {
  const { t } = useTranslation()
  return (
    <>
      <VirtualGrid
        items={tasks}
        total={more ? undefined : tasks.length}
        columns={isNarrow ? {} : { lg: 2 }}
        gap={10}
        current={current}
        className="*:aria-[current]:rounded-lg *:aria-[current]:outline-3 *:aria-[current]:outline-wheat"
        gradual={gradual}
        estimate={(columns) => (columns === 1 ? 196 : 324)}
      >
        {(task) => <ReaderCard task={task} reader={reader} origin={origin} />}
      </VirtualGrid>
      {more && (
        <div className="mt-8 flex justify-center">
          <Button variant="secondary" size="lg" loading={more.loading} onClick={more.onLoad}>
            {t('tasks.loadMore')}
          </Button>
        </div>
      )}
    </>
  )
}

type ReaderCardProps = {
  task: ListedTask
  reader: TaskReader | undefined
  origin: Position | undefined
}

/** The card of a task as this reader sees it. */
export function ReaderCard({ task, reader, origin }: ReaderCardProps) {
  return (
    <TaskCard
      task={task}
      reader={task.task_giver_id === reader?.id ? 'giver' : reader?.isDoer ? 'tasker' : 'other'}
      applied={reader?.applied?.includes(task.id) ?? false}
      suits={task.score > 0}
      reasons={task.reasons}
      // The reasons have it already.
      km={typeof task.reasons?.km === 'number' ? undefined : kmFrom(origin, task)}
    />
  )
}

/** "24 of 36 tasks", or how many are listed while the others are not counted. */
export function ShownTasks({ shown, more, all }: { shown: number; more: boolean; all: number | undefined }) {
  const { t } = useTranslation()
  if (!more) return <span>{t('tasks.shown', { count: shown })}</span>
  if (all === undefined || shown >= all) return <span>{t('tasks.shownMore', { count: shown })}</span>
  const count = formatNumber(all)
  return (
    <span>
      {t('tasks.shownOf', { shown, all: all < MAX_COUNTED ? count : t('tasks.orMore', { count }) })}
    </span>
  )
}
