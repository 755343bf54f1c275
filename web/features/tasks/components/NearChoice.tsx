// The button that opens the choice of a point near which tasks are listed.
import { LocateFixed } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'
import { classes } from '../../../ui/classes.ts'
import type { NearPanelProps } from './NearPanel.tsx'
import { usePanel } from './usePanel.ts'

const loadPanel = () => import('./NearPanel.tsx')
const NearPanel = lazy(loadPanel)

type NearChoiceProps = Omit<NearPanelProps, 'open' | 'onOpenChange'> & { isChosen: boolean }

export function NearChoice({ isChosen, ...choice }: NearChoiceProps) {
  const { t } = useTranslation()
  const panel = usePanel(loadPanel)
  return (
    <>
      <Button
        variant="secondary"
        className={classes(
          'max-lg:w-11 max-lg:px-0 lg:min-h-13',
          isChosen && 'max-lg:border-ink max-lg:bg-ink max-lg:text-paper',
        )}
        {...panel.button}
      >
        <LocateFixed aria-hidden />
        <span className="max-lg:sr-only">{t('tasks.near')}</span>
      </Button>
      {panel.isWanted && (
        <Suspense>
          <NearPanel {...choice} open={panel.isOpen} onOpenChange={panel.setOpen} />
        </Suspense>
      )}
    </>
  )
}
