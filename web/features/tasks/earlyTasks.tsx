// The list of /browse as strangers first see it, read and drawn before the app has started.
import type { EarlyPage } from '../../lib/earlyData.ts'
import type { Rest } from '../../lib/rest.ts'
import { countTasks, openTasks, openTasksKey, PAGE_SIZES, taskCountKey } from './api/openTasks.ts'
import { browsingFrom, STRANGER_SORTS } from './browsing.ts'
import { ShownTasks, TaskList } from './components/TaskList.tsx'

/** Rejects when they cannot be read. */
export async function earlyTasks(rest: Rest): Promise<EarlyPage> {
  const browsing = browsingFrom(new URLSearchParams(), STRANGER_SORTS)
  const { signal } = new AbortController()
  // Both at once: where the first page is the only one, the count goes unused.
  const [tasks, all] = await Promise.all([
    openTasks(rest, browsing, 0, signal),
    countTasks(rest, browsing, signal).catch(() => undefined),
  ])
  const answer = { key: openTasksKey(browsing), data: { pages: [tasks], pageParams: [0] } }
  if (tasks.length === 0) {
    const { NoTasks } = await import('./components/NoTasks.tsx')
    return {
      answers: [answer],
      parts: {
        count: <ShownTasks shown={0} more={false} all={undefined} />,
        list: <NoTasks filtered={false} posts category="" />,
      },
    }
  }
  const more = tasks.length === PAGE_SIZES[browsing.sort]
  return {
    answers: [answer, ...(more && all !== undefined ? [{ key: taskCountKey(browsing), data: all }] : [])],
    parts: {
      count: <ShownTasks shown={tasks.length} more={more} all={all} />,
      list: (
        <div className="transition-opacity">
          <TaskList gradual tasks={tasks} more={more ? { loading: false, onLoad: () => {} } : undefined} />
        </div>
      ),
    },
  }
}
