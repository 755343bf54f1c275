// Choosing from one to five stars. Native radio buttons: arrow keys move, a form can register the group.
import { Star } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { classes } from './classes.ts'
import { FieldError } from './form/Field.tsx'
import { INITIAL_FOCUS } from './returnFocus.ts'

const STARS = [1, 2, 3, 4, 5] as const
export type StarCount = (typeof STARS)[number]

type StarChoiceProps = Omit<ComponentProps<'input'>, 'type' | 'value' | 'defaultValue'> & {
  legend: string
  /** The current choice as in the form: '1' to '5', or '' for none. */
  chosen: string
  /** The screen reader's label of each choice. */
  labelOf: (count: StarCount) => string
  /** The word for the chosen or hovered stars, next to them. */
  wordOf: (count: StarCount) => string
  error?: string
  /** The dialog around it opens on the stars. */
  opensHere?: boolean
}

/** `<StarChoice legend={…} chosen={watched} labelOf={…} wordOf={…} {...register('rating')} />` */
export function StarChoice({
  legend,
  chosen,
  labelOf,
  wordOf,
  error,
  opensHere = false,
  className,
  ...rest
}: StarChoiceProps) {
  const [pointed, setPointed] = useState<StarCount | null>(null)
  const shown = pointed ?? STARS.find((count) => String(count) === chosen) ?? 0
  return (
    <fieldset className={classes('flex min-w-0 flex-col gap-1', className)}>
      <legend className="sr-only">{legend}</legend>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="-ms-2 flex" onPointerLeave={() => setPointed(null)}>
          {STARS.map((count) => (
            <label
              key={count}
              onPointerEnter={({ pointerType }) => pointerType === 'mouse' && setPointed(count)}
              className="relative grid size-11 cursor-pointer place-items-center rounded-md has-focus-visible:outline-[2.5px] has-focus-visible:-outline-offset-2 has-focus-visible:outline-sky"
            >
              <input
                type="radio"
                value={count}
                aria-label={labelOf(count)}
                className="absolute inset-0 cursor-pointer opacity-0"
                {...(opensHere && String(count) === (chosen || '1') && INITIAL_FOCUS)}
                {...rest}
              />
              <Star
                aria-hidden
                className={classes(
                  'pointer-events-none size-8 transition-colors duration-100',
                  count <= shown ? 'fill-wheat text-wheat-deep' : 'text-line-strong',
                )}
                strokeWidth={1.5}
              />
            </label>
          ))}
        </div>
        <span aria-hidden className="font-semibold text-ink-soft">
          {shown !== 0 && wordOf(shown)}
        </span>
      </div>
      {error && <FieldError>{error}</FieldError>}
    </fieldset>
  )
}
