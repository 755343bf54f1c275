// /unsubscribe?token=…: where an e-mail's link leads, signed in or not. It asks first: scanners of mail open every link.
import { useQuery } from '@tanstack/react-query'
import { MailX } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { useAction } from '../../ui/useAction.ts'
import { setSubscription } from './api/actions.ts'
import { subscriptionQuery } from './api/queries.ts'

export default function UnsubscribePage() {
  const { t, i18n } = useTranslation()
  const [search] = useSearchParams()
  const token = search.get('token') ?? ''
  const subscription = useQuery(subscriptionQuery(token))
  const [changed, setChanged] = useState(false)
  const saving = useAction(setSubscription(token), {
    onSuccess: () => setChanged(true),
    onError: t('preferences.unsubscribe.failed'),
  })
  const settings = (
    <Button asChild variant="secondary">
      <Link to={paths.notificationSettings}>{t('preferences.unsubscribe.settings')}</Link>
    </Button>
  )

  if (subscription.data === null) {
    return (
      <Page width="form">
        <PageHeader title={t('preferences.unsubscribe.title')} />
        <EmptyState
          icon={MailX}
          title={t('preferences.unsubscribe.invalid')}
          body={t('preferences.unsubscribe.invalidBody')}
          action={settings}
        />
      </Page>
    )
  }
  const { kinds: all = [], subscribed = true } = subscription.data ?? {}
  // Within a sentence the names are written small, save in German, whose nouns keep their capital letter.
  const names = all.map((kind) => {
    const name = t(`preferences.kinds.${kind}.name`)
    return i18n.language === 'de' ? name : name.toLocaleLowerCase(i18n.language)
  })
  const kinds = new Intl.ListFormat(i18n.language).format(names)
  const words = subscribed
    ? changed
      ? t('preferences.unsubscribe.back', { kinds })
      : t('preferences.unsubscribe.ask', { kinds })
    : changed
      ? t('preferences.unsubscribe.done', { kinds })
      : t('preferences.unsubscribe.already', { kinds })
  return (
    <Page width="form">
      <PageHeader title={t('preferences.unsubscribe.title')} />
      {subscription.isLoadingError && <ErrorState onRetry={() => subscription.refetch()} />}
      {subscription.isPending && <Skeleton className="h-40 w-full" />}
      {subscription.data && (
        <Card className="flex flex-col gap-5 p-6 sm:p-8">
          <div role="status">
            <p className="text-xl font-semibold">{words}</p>
            <p className="mt-2 text-ink-soft">{t('preferences.unsubscribe.keeps')}</p>
          </div>
          <div className="flex flex-wrap gap-3">
            {subscribed ? (
              <Button loading={saving.isPending} onClick={() => saving.mutate(false)}>
                {t('preferences.unsubscribe.confirm')}
              </Button>
            ) : (
              <Button loading={saving.isPending} variant="secondary" onClick={() => saving.mutate(true)}>
                {changed ? t('preferences.unsubscribe.undo') : t('preferences.unsubscribe.resubscribe')}
              </Button>
            )}
            {settings}
          </div>
        </Card>
      )}
    </Page>
  )
}
