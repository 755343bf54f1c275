// The last word of a page, in the colours of the bird's breast: yellow with the black V.
import { type ReactNode, useId } from 'react'

/** `<CallToAction title={…} body={…}><Button asChild className={CTA_PRIMARY_CLASSES}>…</Button></CallToAction>` */
export function CallToAction({
  title,
  body,
  children,
}: {
  title: string
  body: string
  children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="relative overflow-hidden bg-[#f4bc30] text-on-wheat">
      <svg
        viewBox="0 0 600 400"
        preserveAspectRatio="xMidYMid slice"
        aria-hidden="true"
        className="absolute inset-y-0 end-0 hidden h-full w-1/2 lg:block"
      >
        <path fill="#1a2130" d="M40-140Q170 100 330 190 480 90 680-160V80Q500 260 338 350 110 230-150-150Z" />
      </svg>
      <div className="measure relative py-16 sm:py-24">
        <h2 id={id} className="max-w-xl text-4xl sm:text-5xl">
          {title}
        </h2>
        <p className="mt-4 max-w-md text-lg font-medium">{body}</p>
        <div className="mt-8 flex flex-wrap gap-3 [&_:focus-visible]:outline-[#1a2130]">{children}</div>
      </div>
    </section>
  )
}

/** Looks for the buttons inside, since the ground is already wheat. */
export const CTA_PRIMARY_CLASSES = 'bg-[#1a2130] text-[#fbf7ee] hover:bg-[#2b3448]'
export const CTA_SECONDARY_CLASSES = 'border-on-wheat bg-transparent text-on-wheat hover:bg-[#e6a915]'
