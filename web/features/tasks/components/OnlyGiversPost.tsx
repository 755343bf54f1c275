// Shown to a tasker who opens the post form: one tap adds the giver side.
import { Megaphone } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState } from '../../../ui/States.tsx'
import { useAddRole } from '../../../ui/useRoleSwitch.ts'

export function OnlyGiversPost() {
  const { t } = useTranslation()
  // The form takes the place of this page then, with the text written in this tab.
  const adding = useAddRole({ leads: false })
  return (
    <Page width="narrow">
      <h1 className="mb-6 text-3xl sm:text-4xl">{t('tasks.postTitle')}</h1>
      <EmptyState
        icon={Megaphone}
        title={t('tasks.giversSide')}
        body={
          <>
            <p>{t('tasks.giversSideBody')}</p>
            <p className="mt-2">{t('layout.side.addHint.task_giver')}</p>
          </>
        }
        action={
          <div className="flex flex-wrap justify-center gap-3">
            <Button loading={adding.isPending} onClick={() => adding.mutate('task_giver')}>
              {t('layout.side.add.task_giver')}
            </Button>
            <Button asChild variant="secondary">
              <Link to={paths.browse}>{t('tasks.browseTitle')}</Link>
            </Button>
          </div>
        }
      />
    </Page>
  )
}
