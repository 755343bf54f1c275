// The way of the money, as a wire from post to post: paid, held, done, released.
import { useTranslation } from 'react-i18next'
import { BirdMark } from '../../../ui/BirdMark.tsx'

const STATIONS = ['paid', 'held', 'done', 'released'] as const

export function EscrowTrack() {
  const { t } = useTranslation()
  return (
    <ol className="relative grid gap-y-8 lg:grid-cols-4">
      {/* The wire: next to the posts on a phone, along them elsewhere; it is drawn on as it comes into sight. */}
      <li
        aria-hidden
        className="escrow-wire absolute start-[1.3125rem] top-4 bottom-10 w-1 rounded-full bg-wheat lg:start-4 lg:end-[22%] lg:top-[4.375rem] lg:bottom-auto lg:h-1 lg:w-auto"
      />
      {STATIONS.map((station, place) => (
        <li key={station} className="relative flex gap-5 lg:block lg:pe-8">
          <div className="relative flex h-11 w-11 shrink-0 items-center justify-center lg:h-24 lg:items-end lg:justify-start lg:ps-2">
            {station === 'released' && (
              <BirdMark className="absolute top-1 start-10 hidden size-12 lg:start-1 lg:block rtl:-scale-x-100" />
            )}
            <span
              className={`tabular relative grid size-11 shrink-0 place-items-center rounded-full border-4 border-surface font-display text-lg font-bold ${
                station === 'released' ? 'bg-success text-surface' : 'bg-wheat text-on-wheat'
              }`}
            >
              {place + 1}
            </span>
          </div>
          <div className="min-w-0 lg:mt-3">
            <h4 className="font-display text-xl leading-snug font-bold">
              {t(`landing.safety.track.${station}.title`)}
            </h4>
            <p className="mt-1 text-ink-soft">{t(`landing.safety.track.${station}.body`)}</p>
          </div>
        </li>
      ))}
    </ol>
  )
}
