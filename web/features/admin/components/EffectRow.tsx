// One effect that failed: what it is, whom or which payment it is about, why it failed, how often it was tried, and another try.
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime } from '../../../lib/format.ts'
import { adminPersonPath, paths } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { type FailedEffect, retryEffect } from '../api/effects.ts'

export function EffectRow({ effect }: { effect: FailedEffect }) {
  const { t } = useTranslation()
  const name = effect.name ? t(`backOffice.effects.name.${effect.name}`) : effect.function_name
  const retrying = useAction(retryEffect(effect.id), {
    onSuccess: () => toast.success(t('backOffice.effects.retriedToast')),
    onError: t('admin.error'),
  })
  return (
    <li className="p-4 sm:p-5">
      <p className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <span className="font-semibold wrap-anywhere">{name}</span>
        {effect.payment_id && (
          <Link
            to={`${paths.adminMoney}?search=${effect.payment_id}`}
            className="text-sky underline underline-offset-4"
          >
            <bdi>{effect.task_title ?? t('backOffice.effects.payment')}</bdi>
          </Link>
        )}
        {effect.person_id && (
          <Link to={adminPersonPath(effect.person_id)} className="text-sky underline underline-offset-4">
            <bdi>{effect.person_name || t('backOffice.effects.person')}</bdi>
          </Link>
        )}
      </p>
      <p dir="ltr" className="mt-2 rounded-md bg-sunken px-3 py-2 font-mono text-sm wrap-anywhere">
        {effect.error}
      </p>
      <p className="mt-2 flex flex-wrap gap-x-4 text-sm text-ink-soft">
        <span>{t('backOffice.effects.tries', { count: effect.tries })}</span>
        <span>{t('backOffice.effects.last', { at: formatDateTime(effect.failed_at) })}</span>
        {effect.next_try_at && (
          <span>{t('backOffice.effects.next', { at: formatDateTime(effect.next_try_at) })}</span>
        )}
      </p>
      <Button
        variant="secondary"
        size="sm"
        className="mt-4"
        loading={retrying.isPending}
        onClick={() => retrying.mutate()}
      >
        <span>{t('ui.tryAgain')}</span>
        <span className="sr-only">{name}</span>
      </Button>
    </li>
  )
}
