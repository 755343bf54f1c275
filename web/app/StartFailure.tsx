// Shown when the app's configuration cannot be read: the server is down or the network is.
import { useTranslation } from 'react-i18next'
import { BirdMark } from '../ui/BirdMark.tsx'
import { Button } from '../ui/Button.tsx'

export function StartFailure() {
  const { t } = useTranslation()
  return (
    <main className="grid min-h-dvh place-items-center p-6 text-center">
      <div>
        <BirdMark className="mx-auto mb-6 size-20" />
        <h1 className="text-3xl">{t('errors.startTitle')}</h1>
        <p className="mt-3 text-ink-soft">{t('errors.startBody')}</p>
        <Button className="mt-6" onClick={() => location.reload()}>
          {t('ui.tryAgain')}
        </Button>
      </div>
    </main>
  )
}
