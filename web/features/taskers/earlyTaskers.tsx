// The list of /find-taskers as strangers first see it, read and drawn before the app has started.
import type { EarlyPage } from '../../lib/earlyData.ts'
import type { Rest } from '../../lib/rest.ts'
import { countTaskers, findTaskers, PAGE_SIZE, taskerCountKey, taskersKey } from './api/search.ts'
import { FoundTaskers } from './FoundTaskers.tsx'
import { noFilters } from './filters.ts'
import { Heart } from './Heart.tsx'

/** Rejects when they cannot be read. */
export async function earlyTaskers(rest: Rest): Promise<EarlyPage> {
  const { signal } = new AbortController()
  // Both at once: where the first page is the only one, the count goes unused.
  const [taskers, all] = await Promise.all([
    findTaskers(rest, '', noFilters, { after: undefined, signal }),
    countTaskers(rest, '', noFilters, signal).catch(() => undefined),
  ])
  if (taskers.length === 0) {
    const { NoTaskers } = await import('./components/NoTaskers.tsx')
    return {
      answers: [{ key: taskersKey('', noFilters), data: { pages: [taskers], pageParams: [undefined] } }],
      parts: { list: <NoTaskers narrowed={false} posts category="" /> },
    }
  }
  const hasNextPage = taskers.length === PAGE_SIZE
  return {
    answers: [
      { key: taskersKey('', noFilters), data: { pages: [taskers], pageParams: [undefined] } },
      ...(hasNextPage && all !== undefined ? [{ key: taskerCountKey('', noFilters), data: all }] : []),
    ],
    parts: {
      list: (
        <FoundTaskers
          gradual
          taskers={taskers}
          all={hasNextPage ? all : undefined}
          pages={{ hasNextPage, isFetchingNextPage: false, fetchNextPage: () => {} }}
          heart={Heart}
          reader={{ id: undefined, asks: true }}
          className="transition-opacity"
        />
      ),
    },
  }
}
