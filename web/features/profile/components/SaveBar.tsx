// The foot of a profile form: whether something is unsaved, and the button that saves it.
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'

export function SaveBar({
  dirty,
  saving,
  onDiscard,
}: {
  dirty: boolean
  saving: boolean
  onDiscard: () => void
}) {
  const { t } = useTranslation()
  return (
    <div className="flex flex-wrap items-center justify-end gap-4 border-t border-line pt-5">
      {dirty && <p className="me-auto text-sm text-ink-soft">{t('profile.unsaved')}</p>}
      {dirty && (
        <Button variant="secondary" disabled={saving} onClick={onDiscard}>
          {t('profile.discard')}
        </Button>
      )}
      <Button type="submit" loading={saving} disabled={!dirty}>
        {t('profile.save')}
      </Button>
    </div>
  )
}
