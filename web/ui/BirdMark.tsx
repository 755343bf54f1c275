// The mark: a western meadowlark singing, yellow breast with its black V. The body takes the text colour.

const BREAST_PATH = 'M41 14C52 19 58 29 55 40 52.5 49.5 42 55 29 54.5 27 43 33 24 41 14Z'
const NECKLACE_PATH =
  'M34 20Q39.5 27 44.8 31.2 49 27.5 51.8 22.6 54.2 26 55.2 29.6 51 36.5 45.4 40.5 39 36 34 28Z'
const BODY_PATH =
  'M58 4.5 46.3 9.3C42 6 35.5 6.8 32 12.5 29.5 17 27.5 21 22.5 26 15 33.5 9.5 42 4 57L10.5 58.8 16.5 53C21 55 26 55.2 30.5 54.5 36 46 38 34 37.5 26 37.5 21.5 40 18 44 16.2L57.5 14 49.5 11.4Z'

/** `<BirdMark className="size-9" />`; give `title` only where no name is next to it. */
export function BirdMark({ title, className }: { title?: string; className?: string }) {
  return (
    <svg
      viewBox="0 0 64 64"
      className={className}
      role={title ? 'img' : undefined}
      aria-label={title}
      aria-hidden={title ? undefined : true}
    >
      <path fill="#f4bc30" d={BREAST_PATH} />
      <path fill="#1a2130" d={NECKLACE_PATH} />
      <path fill="currentColor" d={BODY_PATH} />
      <circle cx="40.3" cy="12" r="1.7" fill="var(--paper)" />
    </svg>
  )
}
