// The verified name and the person's present one, when the two differ: an admin compares them with the legal name on
// the ID. Blanks, case and characters that show nothing are no difference.
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { sameName } from '../../../../shared/text.ts'
import type { Verifiable } from '../api/people.ts'

export function NameChange({ person, legalName }: { person: Verifiable; legalName?: string }) {
  const { t } = useTranslation()
  if (!person.verified_name || sameName(person.verified_name, person.full_name ?? '')) return null
  const names: [string, string][] = [
    [t('admin.verifiedName'), person.verified_name],
    [t('admin.presentName'), person.full_name ?? ''],
    ...(legalName ? [[t('verification.legalName'), legalName] as [string, string]] : []),
  ]
  return (
    <section className="mb-4 rounded-md bg-wheat-soft p-4">
      <h3 className="flex items-center gap-2 font-sans text-base font-semibold tracking-normal text-wheat-ink">
        <TriangleAlert aria-hidden className="size-4 shrink-0" />
        <span>{t('admin.nameChanged')}</span>
      </h3>
      <dl className="mt-2 divide-y divide-line">
        {names.map(([label, name]) => (
          <div key={label} className="flex justify-between gap-6 py-2">
            <dt className="min-w-0 text-ink-soft">{label}</dt>
            <dd className="max-w-3/5 text-end font-semibold wrap-anywhere">
              <bdi>{name}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
