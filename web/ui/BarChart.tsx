// Bars over time, each with its value as text: a table whose bars are decoration.
import { useTranslation } from 'react-i18next'
import { classes } from './classes.ts'

type Bar = {
  /** Of the time, as its row is named. */
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
  const most = Math.max(...bars.map(({ value }) => value ?? 0), 0)
  const last = bars.findLast(({ value }) => value !== null)
  return (
    <div className="min-w-0 rounded-lg border border-line bg-surface p-5">
      <table className="tabular w-full text-sm">
        <caption className="pb-3 text-start">
          <span className="block text-base font-semibold">{title}</span>
          {last?.value != null && (
            <span className="text-ink-soft">
              {last === bars.at(-1)
                ? running(format(last.value))
                : t('ui.labelled', { label: last.label, value: format(last.value) })}
            </span>
          )}
        </caption>
        <tbody>
          {bars.map(({ label, value }, index) => (
            <tr key={label}>
              <th scope="row" className="py-0.5 pe-3 text-start font-normal whitespace-nowrap text-ink-soft">
                {label}
              </th>
              <td className="w-full py-0.5">
                <span className="flex items-center gap-2">
                  <span aria-hidden className="h-4 min-w-0 flex-1">
                    <span
                      className={classes(
                        'block h-full rounded-sm',
                        index === bars.length - 1 ? 'bg-wheat-deep' : 'bg-sky',
                      )}
                      style={{ width: `${most > 0 ? ((value ?? 0) / most) * 100 : 0}%` }}
                    />
                  </span>
                  <span className="whitespace-nowrap">{value === null ? '–' : format(value)}</span>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
