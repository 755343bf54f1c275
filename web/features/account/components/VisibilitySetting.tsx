// Profile visibility: public, or hidden from all but those whom one has to do with.
import { useTranslation } from 'react-i18next'
import { useMyProfile } from '../../../lib/queries/profile.ts'
import { Switch } from '../../../ui/Checkbox.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { saveVisibility } from '../api/actions.ts'

export function VisibilitySetting({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const profile = useMyProfile()
  const saving = useAction(saveVisibility(userId), { onError: t('ui.errorTitle') })
  if (!profile.data) return <Skeleton className="h-16 w-full" />
  const visibility = saving.isPending ? saving.variables : profile.data.visibility
  const isPublic = visibility !== 'hidden'
  return (
    <div>
      <Switch
        className="w-full"
        label={<span className="text-lg font-semibold">{t('account.visibility')}</span>}
        hint={
          <>
            <span className="block">{t(isPublic ? 'account.public' : 'account.hidden')}</span>
            <span className="block">{t('account.visibilityAlways')}</span>
          </>
        }
        checked={isPublic}
        onChange={(event) => saving.mutate(event.target.checked ? 'public' : 'hidden')}
      />
    </div>
  )
}
