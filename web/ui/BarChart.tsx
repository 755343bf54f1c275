// Bars over time in plain SVG, in the colours of the theme; the figures stand in a table for who does not see the bars, and for
// everybody at a click.
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'

type Bar = {
  /** Of the time, as the table and the axis name it. */
  label: string
  /** null: nothing to show then. */
  value: number | null
}

/**
 * `<BarChart title={…} bars={[{ label, value }]} format={formatNumber} running={…} />`; `format` writes a value, `running`
 * says one of the time that is not over yet, which is the last bar's.
 */
export function BarChart({
  title,
  bars,
  format,
  running,
}: {
  title: string
  bars: Bar[]
  format: (value: number) => string
  running: (value: string) => string
}) {
  const { t } = useTranslation()
  const id = useId()
  const [asTable, setAsTable] = useState(false)
  const most = Math.max(...bars.map(({ value }) => value ?? 0), 0)
  const last = bars.findLast(({ value }) => value !== null)
  return (
    <figure
      className="flex min-w-0 flex-col rounded-lg border border-line bg-surface p-5"
      aria-labelledby={id}
    >
      <figcaption className="mb-4 flex items-start justify-between gap-4">
        <span>
          <span id={id} className="block font-semibold">
            {title}
          </span>
          <span className="tabular text-sm text-ink-soft">
            {last?.value != null &&
              (last === bars.at(-1)
                ? running(format(last.value))
                : t('ui.labelled', { label: last.label, value: format(last.value) }))}
          </span>
        </span>
        <Button variant="ghost" size="sm" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          <span>{t(asTable ? 'ui.chart.bars' : 'ui.chart.table')}</span>
          <span className="sr-only">{title}</span>
        </Button>
      </figcaption>
      {!asTable && <Bars bars={bars} most={most} format={format} />}
      <div className={asTable ? 'overflow-x-auto' : 'sr-only'}>
        <table className="tabular w-full text-sm">
          <caption className="sr-only">{title}</caption>
          <tbody>
            {bars.map(({ label, value }) => (
              <tr key={label} className="border-b border-line last:border-0">
                <th scope="row" className="py-1.5 text-start font-normal text-ink-soft">
                  {label}
                </th>
                <td className="py-1.5 text-end">{value === null ? '–' : format(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}

const HEIGHT = 100
const STEP = 20
const GAP = 5

function Bars({ bars, most, format }: { bars: Bar[]; most: number; format: (value: number) => string }) {
  const { t } = useTranslation()
  return (
    <div aria-hidden="true">
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-36 w-full overflow-visible border-b border-line-strong rtl:-scale-x-100"
      >
        {bars.map(({ label, value }, index) => {
          const height = most > 0 ? ((value ?? 0) / most) * HEIGHT : 0
          return (
            <g key={label}>
              <title>{t('ui.labelled', { label, value: value === null ? '–' : format(value) })}</title>
              <rect x={index * STEP} y={0} width={STEP} height={HEIGHT} fill="transparent" />
              <rect
                x={index * STEP + GAP / 2}
                y={HEIGHT - height}
                width={STEP - GAP}
                height={height}
                className={classes(index === bars.length - 1 ? 'fill-wheat-deep' : 'fill-sky')}
              />
            </g>
          )
        })}
      </svg>
      <p className="mt-1 flex justify-between gap-4 text-xs text-ink-faint">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </p>
    </div>
  )
}
