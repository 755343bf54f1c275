// Signing in or up by the word of another service: one button for each that is switched on, and none where none is.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { signInPath } from '../../../lib/paths.ts'
import { providerName, providersQuery } from '../../../lib/providers.ts'
import { Button } from '../../../ui/Button.tsx'
import { ProviderMark } from '../../../ui/ProviderMark.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { signInWithProvider } from '../api/actions.ts'
import { otherMessage } from '../errors.ts'

/** More of them, as whole sentences, would push the form out of sight. */
const MOST_IN_A_COLUMN = 3

export function ProviderButtons() {
  const { t } = useTranslation()
  const [search] = useSearchParams()
  const { data: providers = [] } = useQuery(providersQuery)
  const leaving = useAction(signInWithProvider, {
    onError: (error) => toast.error(t('auth.signInFailed'), { description: otherMessage(error, t) }),
  })
  if (providers.length === 0) return null
  const many = providers.length > MOST_IN_A_COLUMN
  return (
    <div className="mb-6 flex flex-col gap-3">
      <div className={many ? 'grid grid-cols-2 gap-3' : 'flex flex-col gap-3'}>
        {providers.map((provider) => {
          const name = providerName(provider)
          const label = t('auth.continueWith', { provider: name })
          return (
            <Button
              key={provider}
              variant="secondary"
              size={many ? 'md' : 'lg'}
              className={many ? 'min-w-0 shrink last:odd:col-span-2' : undefined}
              aria-label={label}
              loading={leaving.isPending && leaving.variables.provider === provider}
              onClick={() => leaving.mutate({ provider, back: signInPath(search.get('next') ?? undefined) })}
            >
              <ProviderMark id={provider} />
              <span className="truncate">{many ? name : label}</span>
            </Button>
          )
        })}
      </div>
      <p className="flex items-center gap-3 text-sm text-ink-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        {t('auth.orByEmail')}
      </p>
    </div>
  )
}
