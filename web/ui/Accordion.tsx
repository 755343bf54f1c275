// Questions that open one at a time. The browser itself opens them: on a page that was built they work without the app.
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId } from 'react'

/** `<Accordion items={[{ id, title, body }]} />`; one open at a time, and it closes again. */
export function Accordion({ items }: { items: { id: string; title: string; body: ReactNode }[] }) {
  const name = useId()
  return (
    <div className="divide-y divide-line border-y border-line">
      {items.map((item) => (
        <details key={item.id} name={name} className="group unfolds">
          <summary className="flex cursor-pointer list-none items-center justify-between gap-4 py-5 hover:text-sky [&::-webkit-details-marker]:hidden">
            <h2 className="font-sans text-lg leading-snug font-semibold tracking-normal">{item.title}</h2>
            <ChevronDown
              aria-hidden
              className="size-5 shrink-0 text-ink-faint transition-transform group-open:rotate-180"
            />
          </summary>
          <div className="max-w-prose pt-1 pb-6 text-ink-soft">{item.body}</div>
        </details>
      ))}
    </div>
  )
}
