// The last word of a page, in the colours of the bird's breast: yellow with the black V.
import { type ReactNode, useId } from 'react'
import { classes } from './classes.ts'

/** `<CallToAction title={…} body={…}><Button asChild className={CTA_PRIMARY_CLASSES}>…</Button></CallToAction>` */
export function CallToAction({
  title,
  body,
  children,
}: {
  title: string
  body?: string | undefined
  children: ReactNode
}) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className="relative overflow-hidden bg-[#f4bc30] text-on-wheat forced-colors:bg-surface forced-colors:text-ink"
    >
      <svg
        viewBox="0 0 420 300"
        aria-hidden="true"
        className="absolute inset-y-0 end-[max(2rem,calc(50%-37rem))] hidden h-full py-10 lg:block forced-colors:hidden"
      >
        <path
          fill="#1a2130"
          d="M6 18Q20 8 40 22C92 108 150 158 214 186 276 158 332 108 380 22Q400 8 414 18 420 24 416 40C380 164 306 240 222 288Q214 292 206 288C118 240 44 164 4 40Q0 24 6 18Z"
        />
      </svg>
      <div className="measure relative py-16 sm:py-24">
        <h2 id={id} className="max-w-xl text-4xl sm:text-5xl">
          {title}
        </h2>
        {body && <p className="mt-4 max-w-md text-lg font-medium">{body}</p>}
        <div className="mt-8 flex flex-wrap gap-3 [&_:focus-visible]:outline-[#1a2130] forced-colors:[&_:focus-visible]:outline-sky">
          {children}
        </div>
      </div>
    </section>
  )
}

/** Looks for the buttons inside, since the ground is already wheat. */
export const CTA_PRIMARY_CLASSES = classes(
  'bg-[#1a2130] text-[#fbf7ee] hover:bg-[#2b3448]',
  'forced-colors:bg-wheat forced-colors:text-on-wheat forced-colors:hover:bg-wheat',
)
export const CTA_SECONDARY_CLASSES = classes(
  'border-on-wheat bg-transparent text-on-wheat hover:bg-[#e6a915]',
  'forced-colors:border-line-strong forced-colors:text-ink forced-colors:hover:bg-surface',
)
