// New recovery codes, shown this once: to copy, to download, to print from the file.
import { useTranslation } from 'react-i18next'
import { download } from '../../../lib/download.ts'
import { useSession } from '../../../lib/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { toast } from '../../../ui/Toaster.tsx'

type RecoveryCodesDialogProps = {
  codes: string[]
  /** The person had unused codes, which are void now. */
  replaced: boolean
  onClose: () => void
}

export function RecoveryCodesDialog({ codes, replaced, onClose }: RecoveryCodesDialogProps) {
  const { t } = useTranslation()
  const email = useSession().user?.email ?? ''
  const copy = async () => {
    await navigator.clipboard.writeText(codes.join('\n'))
    toast.success(t('account.copied'))
  }
  const save = () => {
    const text = [t('account.recoveryCodesFile', { email }), '', ...codes, ''].join('\n')
    download('meadowlark-recovery-codes.txt', new Blob([text], { type: 'text/plain' }))
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('account.recoveryCodes')}
      description={t('account.recoveryCodesBody')}
      size="sm"
      footer={
        <>
          <Button variant="secondary" onClick={copy}>
            {t('account.copy')}
          </Button>
          <Button variant="secondary" onClick={save}>
            {t('account.recoveryCodesDownload')}
          </Button>
          <Button onClick={onClose}>{t('account.recoveryCodesSaved')}</Button>
        </>
      }
    >
      <ol
        translate="no"
        className="grid gap-x-6 gap-y-2 rounded-md bg-sunken p-4 font-mono text-sm sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code} className="whitespace-nowrap">
            {code}
          </li>
        ))}
      </ol>
      {replaced && <p className="mt-3 text-sm text-ink-soft">{t('account.recoveryCodesVoid')}</p>}
    </Dialog>
  )
}
