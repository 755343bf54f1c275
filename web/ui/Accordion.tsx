// Questions that open one at a time.
import { ChevronDown } from 'lucide-react'
import { Accordion as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

/** `<Accordion items={[{ id, title, body }]} />`; one open at a time, and it closes again. */
export function Accordion({ items }: { items: { id: string; title: string; body: ReactNode }[] }) {
  return (
    <Radix.Root type="single" collapsible className="divide-y divide-line border-y border-line">
      {items.map((item) => (
        <Radix.Item key={item.id} value={item.id}>
          <Radix.Header asChild>
            <h2 className="font-sans text-lg font-semibold tracking-normal">
              <Radix.Trigger className="group flex w-full items-center justify-between gap-4 py-5 text-start leading-snug hover:text-sky">
                <span>{item.title}</span>
                <ChevronDown
                  aria-hidden
                  className="size-5 shrink-0 text-ink-faint transition-transform group-data-[state=open]:rotate-180"
                />
              </Radix.Trigger>
            </h2>
          </Radix.Header>
          <Radix.Content className="overflow-hidden data-[state=closed]:animate-close data-[state=open]:animate-open">
            <div className="max-w-prose pb-6 text-ink-soft">{item.body}</div>
          </Radix.Content>
        </Radix.Item>
      ))}
    </Radix.Root>
  )
}
