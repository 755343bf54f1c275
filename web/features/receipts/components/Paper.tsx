// A receipt or statement as a sheet of paper: on the screen and printed.
import { AmountLines } from '../../../ui/AmountLines.tsx'
import { BirdMark } from '../../../ui/BirdMark.tsx'
import type { Sheet } from '../sheet.ts'

export function Paper({ sheet }: { sheet: Sheet }) {
  const { issuer } = sheet
  return (
    <article className="rounded-lg border border-line bg-surface p-6 sm:p-10 print:border-0 print:bg-transparent print:p-0">
      <header className="flex flex-wrap items-start justify-between gap-x-8 gap-y-4">
        <div className="flex min-w-0 items-start gap-3">
          <BirdMark className="size-11 shrink-0" />
          <div className="min-w-0">
            <p className="font-display text-xl leading-snug font-bold wrap-anywhere">{issuer.name}</p>
            {issuer.address && <p className="text-sm whitespace-pre-line text-ink-soft">{issuer.address}</p>}
            {issuer.gst && <p className="tabular text-sm text-ink-soft">{issuer.gst}</p>}
          </div>
        </div>
        <p className="tabular leading-snug sm:ms-auto sm:text-end">
          <span className="block font-semibold">{`${sheet.name} ${sheet.number}`}</span>
          <span className="block text-sm text-ink-soft">{sheet.issued}</span>
        </p>
      </header>
      <dl className="mt-8 grid gap-x-8 gap-y-5 border-t border-line pt-6 sm:grid-cols-2">
        {sheet.facts.map(({ label, value }) => (
          <div key={label} className="last:sm:col-span-2">
            <dt className="text-sm text-ink-soft">{label}</dt>
            <dd className="font-semibold wrap-anywhere">
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <AmountLines className="mt-8" lines={sheet.lines} />
      {sheet.since.length > 0 && <AmountLines className="mt-6" lines={sheet.since} />}
      <div className="mt-8 flex flex-col gap-1 border-t border-line pt-5 text-sm text-ink-soft">
        {sheet.notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
      </div>
    </article>
  )
}
