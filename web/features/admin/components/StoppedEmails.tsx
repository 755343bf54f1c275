// That no notifications are mailed to a person's address, with the mail server's words, and a button that ends it.
import { MailX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import type { SuppressedAddress } from '../../../lib/queries/suppressedAddress.ts'
import { Button } from '../../../ui/Button.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { resumeEmailsTo } from '../api/accounts.ts'

export function StoppedEmails({ personId, stopped }: { personId: string; stopped: SuppressedAddress }) {
  const { t } = useTranslation()
  const resuming = useAction(resumeEmailsTo(personId), {
    onSuccess: () => toast.success(t('backOffice.people.emailsResumed')),
    onError: t('admin.error'),
  })
  return (
    <div className="mb-6 flex flex-col items-start gap-2 rounded-lg bg-wheat-soft p-4 text-wheat-ink sm:p-5">
      <p className="flex items-center gap-2 font-semibold">
        <MailX aria-hidden className="size-5 shrink-0" />
        <span>{t('backOffice.people.emailsStopped', { at: formatDateTime(stopped.since) })}</span>
      </p>
      <p className="wrap-anywhere">
        {t(`backOffice.people.emailsStoppedWhy.${stopped.reason}`, { address: stopped.address })}
      </p>
      {stopped.detail && <p className="wrap-anywhere text-sm">{stopped.detail}</p>}
      <Button onClick={() => resuming.mutate()} loading={resuming.isPending}>
        {t('backOffice.people.resumeEmails')}
      </Button>
    </div>
  )
}
