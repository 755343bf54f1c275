// The frame of a screen: its measure, its heading, its actions.
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { classes } from './classes.ts'
import { Skeleton } from './Skeleton.tsx'

const widths = { narrow: 'max-w-3xl', form: 'max-w-2xl', wide: '' }

/** `<Page>…</Page>`: gutters and vertical rhythm; `width` narrow for reading, form for forms. */
export function Page({
  width = 'wide',
  className,
  children,
}: {
  width?: keyof typeof widths
  className?: string
  children: ReactNode
}) {
  return <div className={classes('measure py-3 sm:py-12', widths[width], className)}>{children}</div>
}

/** `<PageHeader title={…} subtitle={…} back={{ to, label }} actions={<Button>…</Button>} />`: holds the h1. */
export function PageHeader({
  title,
  subtitle,
  back,
  actions,
  className,
}: {
  title: ReactNode
  /** Null while it is not known which. */
  subtitle?: ReactNode
  back?: { to: string; label: string }
  actions?: ReactNode
  className?: string
}) {
  return (
    <header
      className={classes(
        'mb-4 flex flex-wrap items-end justify-between gap-x-8 gap-y-5 max-sm:gap-x-3 max-sm:gap-y-2 sm:mb-8',
        className,
      )}
    >
      <div className="min-w-0 max-sm:flex-auto sm:flex-[1_1_24rem]">
        {back && (
          <Link
            to={back.to}
            className="mb-3 inline-flex items-center gap-1.5 py-1 font-medium text-sky hover:underline"
          >
            <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
            <span>{back.label}</span>
          </Link>
        )}
        <h1 className="text-2xl sm:text-4xl">{title}</h1>
        {subtitle === null && <Skeleton className="mt-2 h-7 w-96 max-w-full" />}
        {subtitle && <p className="mt-2 max-w-prose text-ink-soft max-sm:mt-1 sm:text-lg">{subtitle}</p>}
      </div>
      {actions && <div className="flex flex-wrap gap-3">{actions}</div>}
    </header>
  )
}
