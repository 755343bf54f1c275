// Removes all hours of a tasker, after a question.
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { dropDraft } from '../../../lib/drafts.ts'
import { errorText } from '../../../lib/errorText.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Button } from '../../../ui/Button.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { removeHours } from '../api/hours.ts'
import { hoursDraft } from '../hours.ts'

export function RemoveHours({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const removing = useAction(removeHours(userId), {
    onSuccess: () => {
      dropDraft(hoursDraft(userId))
      setOpen(false)
      toast.success(t('hours.removal.done'))
    },
  })
  return (
    <>
      <Button variant="secondary" className="self-start" onClick={() => setOpen(true)}>
        {t('hours.removal.open')}
      </Button>
      <AlertDialog
        open={open}
        onOpenChange={(next) => {
          if (removing.isPending) return
          removing.reset()
          setOpen(next)
        }}
        title={t('hours.removal.title')}
        description={t('hours.removal.body')}
        confirmLabel={t('hours.removal.confirm')}
        cancelLabel={t('hours.removal.keep')}
        onConfirm={() => removing.mutate()}
        loading={removing.isPending}
        problem={removing.error && errorText(removing.error)}
        danger
      />
    </>
  )
}
