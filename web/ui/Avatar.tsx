// A person's face or, without one and until it has loaded, their initials on a colour that is always theirs.
import { classes } from './classes.ts'

const sizes = {
  xs: 'size-7 text-xs',
  sm: 'size-9 text-sm',
  md: 'size-12 text-base',
  lg: 'size-20 text-2xl',
  xl: 'size-28 text-4xl',
}

function stableHue(text: string): number {
  let hash = 0
  for (const letter of text) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 3600
  return hash % 360
}

/** The first name and the first letter of the last, which is all that others see of a name before a booking is accepted. */
function shortName(name: string): string {
  const [first = '', ...rest] = name.split(/\s+/)
  return `${first} ${[...(rest.at(-1) ?? '')][0] ?? ''}`.trim()
}

/** A hue in degrees, the same for a person's full and short name. */
export const hueOf = (name: string): number => stableHue(shortName(name))

/** Up to two letters: of the first and the last name. Signs and emoji are no initials. */
export function initials(name: string): string {
  const letters = name.split(/\s+/).flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? [])
  return [letters[0], letters.length > 1 ? letters.at(-1) : ''].join('').toLocaleUpperCase() || '?'
}

/** `<Avatar name={profile.full_name} src={profile.avatar_url} size="lg" />`; the name is next to it as text. */
export function Avatar({
  name,
  src,
  size = 'md',
  className,
}: {
  name: string | null | undefined
  src?: string | null
  size?: keyof typeof sizes
  className?: string
}) {
  const shown = name?.trim() || '?'
  const hue = hueOf(shown)
  return (
    <span
      aria-hidden
      className={classes(
        'inline-grid shrink-0 overflow-hidden rounded-full select-none',
        sizes[size],
        className,
      )}
    >
      <span
        className="col-start-1 row-start-1 grid size-full place-items-center font-display font-semibold whitespace-nowrap"
        style={{
          backgroundColor: `light-dark(oklch(0.88 0.065 ${hue}), oklch(0.37 0.06 ${hue}))`,
          color: `light-dark(oklch(0.34 0.08 ${hue}), oklch(0.93 0.04 ${hue}))`,
        }}
      >
        {initials(shown)}
      </span>
      {/* Browsers show nothing of a picture that cannot be had and has no text in its place. */}
      {src && <img src={src} alt="" className="col-start-1 row-start-1 size-full object-cover" />}
    </span>
  )
}
