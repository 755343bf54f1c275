// The header of a public page: its heading over the drawn horizon of the landing page.
import type { ReactNode } from 'react'
import { Scene } from './horizon/Scene.tsx'
import { PageHeader } from './Page.tsx'

type ScenicHeaderProps = { title: ReactNode; subtitle: ReactNode; actions?: ReactNode; mirrored?: boolean }

/** `<ScenicHeader title={…} subtitle={…} />`, followed by a `<Page>`. */
export function ScenicHeader({ mirrored = false, ...header }: ScenicHeaderProps) {
  return (
    <div className="relative border-b border-line">
      <Scene fit="strip" mirrored={mirrored} />
      <div className="measure relative pt-8 pb-32 sm:pt-12 sm:pb-28">
        <PageHeader {...header} className="mb-0 [&_p]:text-ink" />
      </div>
    </div>
  )
}
