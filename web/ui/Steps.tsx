// Numbered steps, one standing on the next like posts along a wire.

/** `<Steps steps={[{ title, body }]} />`; headings are h4 under your h3, or h3 under your h2 with `level={3}`. */
export function Steps({ steps, level = 4 }: { steps: { title: string; body: string }[]; level?: 3 | 4 }) {
  const Heading = `h${level}` as const
  return (
    <ol>
      {steps.map((step, index) => (
        <li key={step.title} className="relative flex gap-5 pb-8 last:pb-0">
          {index < steps.length - 1 && (
            <span aria-hidden className="absolute start-[1.1875rem] top-10 bottom-0 w-0.5 bg-line" />
          )}
          <span
            aria-hidden
            className="tabular relative grid size-10 shrink-0 place-items-center rounded-full bg-wheat-soft font-display text-lg font-bold text-wheat-ink"
          >
            {index + 1}
          </span>
          <div className="min-w-0 pt-1.5">
            <Heading className="font-sans text-lg leading-snug font-bold tracking-normal">
              {step.title}
            </Heading>
            <p className="mt-1 max-w-md text-ink-soft">{step.body}</p>
          </div>
        </li>
      ))}
    </ol>
  )
}
