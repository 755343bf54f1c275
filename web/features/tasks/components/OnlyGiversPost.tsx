// What a tasker reads who follows a link to post a task: an account has one role, and how to get one that posts.
import { Megaphone } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { keepDraft, readDraft } from '../../../lib/drafts.ts'
import { paths, signUpPath } from '../../../lib/paths.ts'
import { useSignOut, useUserId } from '../../../lib/session.tsx'
import { taskDraft } from '../../../lib/waitingTask.ts'
import { Button } from '../../../ui/Button.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState } from '../../../ui/States.tsx'
import { useAction } from '../../../ui/useAction.ts'

export function OnlyGiversPost() {
  const { t } = useTranslation()
  const userId = useUserId()
  const signOut = useSignOut()
  const navigate = useNavigate()
  const leaving = useAction(
    {
      run: async () => {
        // What they wrote goes with them to the account that can post it.
        const written = readDraft<object>(taskDraft(userId))
        if (!(await signOut())) return
        if (written) keepDraft(taskDraft(undefined), written)
        await navigate(signUpPath('task_giver', paths.postTask))
      },
    },
    { onError: t('errors.signOut') },
  )
  return (
    <Page width="narrow">
      <h1 className="mb-6 text-3xl sm:text-4xl">{t('tasks.postTitle')}</h1>
      <EmptyState
        icon={Megaphone}
        title={t('tasks.giversSide')}
        body={
          <>
            <p>{t('tasks.giversSideBody')}</p>
            <p className="mt-2">{t('tasks.giversSideHow')}</p>
          </>
        }
        action={
          <div className="flex flex-wrap justify-center gap-3">
            <Button asChild>
              <Link to={paths.browse}>{t('tasks.browseTitle')}</Link>
            </Button>
            <Button variant="secondary" loading={leaving.isPending} onClick={() => leaving.mutate()}>
              {t('tasks.giversSideAction')}
            </Button>
          </div>
        }
      />
    </Page>
  )
}
