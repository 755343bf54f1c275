// The providers around the screens, from the outside in.
import { QueryClientProvider } from '@tanstack/react-query'
import { Direction } from 'radix-ui'
import { type ReactNode, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { type DataRouter, Link, RouterProvider } from 'react-router'
import { currentLanguage } from '../i18n/index.ts'
import { direction } from '../i18n/languages.ts'
import { queryClient } from '../lib/queryClient.ts'
import { SessionProvider } from '../lib/session.tsx'
import { ThemeProvider, useTheme } from '../lib/theme.tsx'
import { LinkKind } from '../ui/Link.tsx'
import { lazyPart } from '../ui/lazyPart.ts'

const Toaster = lazyPart(() => import('../ui/Toaster.tsx').then(({ Toaster }) => ({ default: Toaster })))

export function App({ router }: { router: DataRouter }) {
  return (
    <QueryClientProvider client={queryClient}>
      <ThemeProvider>
        <SessionProvider>
          <ReadingDirection>
            <LinkKind value={Link}>
              <RouterProvider router={router} />
            </LinkKind>
          </ReadingDirection>
        </SessionProvider>
      </ThemeProvider>
    </QueryClientProvider>
  )
}

/** Tells the widgets which way arrows and menus go, and the place of the toasts. */
function ReadingDirection({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const { resolved } = useTheme()
  const dir = direction(currentLanguage())
  return (
    <Direction.Provider dir={dir}>
      {children}
      <Suspense>
        <Toaster label={t('ui.notifications')} theme={resolved} dir={dir} />
      </Suspense>
    </Direction.Provider>
  )
}
