// Asks whether an exact point is right that is far from the place in the text of its task.
import { useTranslation } from 'react-i18next'
import { formatDistance } from '../../../lib/format.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import type { NewTask } from '../schema.ts'
import type { FarTask } from '../usePointCheck.ts'

type FarPointProps = { far: FarTask | null; onClose: () => void; onConfirm: (task: NewTask) => void }

export function FarPoint({ far, onClose, onConfirm }: FarPointProps) {
  const { t } = useTranslation()
  if (!far) return null
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t('tasks.point.farTitle')}
      description={t('tasks.point.far', { distance: formatDistance(far.km), place: far.place })}
      confirmLabel={t('tasks.point.farConfirm')}
      cancelLabel={t('tasks.point.farChange')}
      onConfirm={() => onConfirm(far.task)}
    />
  )
}
