// Entries of the audit log: who did what when, about whom, and each value before and after.
import { useInfiniteQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { TextKey } from '../../../i18n/index.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { adminPersonPath } from '../../../lib/paths.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../../ui/States.tsx'
import { type AuditEntry, type AuditFilter, auditCountQuery, auditQuery } from '../api/audit.ts'
import { ListPages } from './ListPages.tsx'

export function AuditList({ filter }: { filter: AuditFilter }) {
  const { t } = useTranslation()
  const entries = useInfiniteQuery(auditQuery(filter))
  if (entries.isPending) return <Skeleton className="h-64 w-full rounded-lg" />
  if (!entries.data) return <ErrorState error={entries.error} onRetry={() => entries.refetch()} />
  if (entries.data.length === 0) return <EmptyState icon={ScrollText} title={t('backOffice.audit.none')} />
  return (
    <ListPages pages={entries} count={auditCountQuery(filter)}>
      {entries.data.map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
    </ListPages>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation()
  const actor = entry.actor_id
    ? entry.actor_name || t('admin.unnamed')
    : t(`backOffice.audit.role.${entry.actor_role}` as TextKey, { defaultValue: entry.actor_role })
  const values = Object.keys(entry.after ?? entry.before ?? {}).filter((column) => column !== 'id')
  return (
    <li className="p-4 sm:p-5">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="min-w-0 font-semibold wrap-anywhere">
          {t(`backOffice.audit.table.${entry.table_name}` as TextKey, { defaultValue: entry.table_name })}
          {' · '}
          {t(`backOffice.audit.action.${entry.action}` as TextKey)}
        </span>
        <time dateTime={entry.at} className="text-sm text-ink-soft">
          {formatDateTime(entry.at)}
        </time>
      </p>
      <p className="text-sm text-ink-soft wrap-anywhere">
        {t('backOffice.audit.by')} {entry.actor_id ? <Person id={entry.actor_id} name={actor} /> : actor}
        {entry.by_admin && ` (${t('backOffice.people.role.admin')})`}
        {entry.subjects.length > 0 && <> · {t('backOffice.audit.about')} </>}
        <People people={entry.subjects.map(({ id, name }) => ({ id, name: name || t('admin.unnamed') }))} />
      </p>
      <details className="mt-2">
        <summary className="inline-flex min-h-8 items-center text-sm text-sky">
          {t('backOffice.audit.values', { count: values.length })}
        </summary>
        <dl className="mt-1 divide-y divide-line text-sm">
          {values.map((column) => (
            <div key={column} className="flex flex-wrap justify-between gap-x-6 py-1.5">
              <dt className="text-ink-soft">{column}</dt>
              <dd className="min-w-0 text-end wrap-anywhere">
                {entry.before && column in entry.before && <s>{shown(entry.before[column])}</s>}
                {entry.before && entry.after && ' → '}
                {entry.after && <bdi>{shown(entry.after[column])}</bdi>}
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </li>
  )
}

/** Their names in a row, with the language's own words or commas between. */
function People({ people }: { people: { id: string; name: string }[] }) {
  const { i18n } = useTranslation()
  const left = [...people]
  return new Intl.ListFormat(i18n.language).formatToParts(people.map(({ name }) => name)).map((part) => {
    const person = part.type === 'element' && left.shift()
    return person ? <Person key={person.id} {...person} /> : part.value
  })
}

function Person({ id, name }: { id: string; name: string }) {
  return (
    <Link to={adminPersonPath(id)} className="text-sky underline underline-offset-4">
      <bdi>{name}</bdi>
    </Link>
  )
}

/** A value as it stands in the table; nothing as a dash. */
const shown = (value: unknown): string =>
  value === null || value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value)
