// /auth/confirm?token_hash=…&type=…&redirect_to=…: where the links of the auth e-mails lead. Opening it changes nothing,
// since scanners of mail open every link by GET; the press of the button uses the link up.
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { pathAfterLink } from '../../lib/paths.ts'
import { useSession } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Problem } from '../../ui/form/Field.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { useAction } from '../../ui/useAction.ts'
import { confirmLink, LINK_TYPES, type LinkType } from './api/actions.ts'
import { SpentLink } from './components/SpentLink.tsx'
import { isSpentLink, signInMessage } from './errors.ts'

export default function ConfirmLinkPage() {
  const { t } = useTranslation()
  const [search] = useSearchParams()
  const type = LINK_TYPES.find((known) => known === search.get('type')) ?? 'signup'
  const hash = search.get('token_hash') ?? ''
  const [spent, setSpent] = useState(hash === '')

  if (spent)
    return (
      <Frame title={t('auth.linkFailed')}>
        <SpentLink type={type} target={pathAfterLink(search)} />
      </Frame>
    )
  return (
    <Frame title={t(`confirmLink.${type}.title`)}>
      <Confirm type={type} hash={hash} target={pathAfterLink(search)} onSpent={() => setSpent(true)} />
    </Frame>
  )
}

function Frame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Page className="max-w-xl">
      <PageHeader title={title} />
      <Card className="flex flex-col items-start gap-5 p-6 sm:p-8">{children}</Card>
    </Page>
  )
}

type ConfirmProps = { type: LinkType; hash: string; target: string; onSpent: () => void }

function Confirm({ type, hash, target, onSpent }: ConfirmProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { status } = useSession()
  const confirming = useAction(confirmLink, {
    onSuccess: (signedIn) => {
      if (signedIn) void navigate(target, { replace: true })
    },
    onError: (error) => {
      if (isSpentLink(error)) onSpent()
    },
  })

  // The first of the two links of a change of address.
  if (confirming.data === false)
    return (
      <>
        <p role="status">{t('account.halfConfirmed')}</p>
        {status === 'signedIn' && (
          <Button asChild variant="secondary">
            <Link to={target}>{t('confirmLink.continue')}</Link>
          </Button>
        )}
      </>
    )
  return (
    <>
      <p className="text-lg">{t(`confirmLink.${type}.body`)}</p>
      <div className="w-full">
        {confirming.error && <Problem>{signInMessage(confirming.error, t)}</Problem>}
        <Button
          size="lg"
          className="w-full sm:w-auto"
          loading={confirming.isPending}
          onClick={() => confirming.mutate({ hash, type })}
        >
          {t(`confirmLink.${type}.button`)}
        </Button>
      </div>
      <p className="text-sm text-ink-soft">{t('confirmLink.note')}</p>
    </>
  )
}
