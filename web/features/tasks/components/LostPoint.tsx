// Says that the point near which tasks are asked for is not known; all tasks are listed meanwhile.
import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { rememberPosition } from '../../../lib/devicePosition.ts'
import { Button } from '../../../ui/Button.tsx'
import { LocationButton } from '../../../ui/LocationButton.tsx'
import { centreOf } from '../browsing.ts'

type LostPointProps = { near: string; onClear: () => void }

export default function LostPoint({ near, onClear }: LostPointProps) {
  const { t } = useTranslation()
  const kind = centreOf(near)?.kind
  return (
    <div role="status" className="flex items-start gap-1 rounded-md bg-sky-soft ps-3 text-sm">
      <div className="flex min-w-0 flex-1 flex-col gap-1.5 py-2">
        <p className="font-medium">
          {kind === 'device'
            ? t('near.lostDevice')
            : kind === 'area'
              ? t('near.lostArea')
              : t('near.lostPlace')}
        </p>
        {kind === 'device' && (
          <LocationButton
            size="sm"
            variant="secondary"
            reason={t('near.reason')}
            onFound={rememberPosition}
          />
        )}
      </div>
      <Button variant="ghost" size="icon" aria-label={t('ui.close')} onClick={onClear}>
        <X aria-hidden />
      </Button>
    </div>
  )
}
