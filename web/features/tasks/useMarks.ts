// Marks of one task in the list and on the map: the pointer or the focus is on its card, or its marker was chosen.
import { type FocusEvent, type PointerEvent, useState } from 'react'
import { createStore, type ReadonlyStore } from '../../lib/store.ts'

type Marks = {
  /** The id of the task whose card has the pointer or the focus. A store, so that only markers follow it. */
  pointed: ReadonlyStore<string | undefined>
  /** The id of the task whose marker was chosen. */
  chosen: string | undefined
  onChosen: (id: string | undefined) => void
  listEvents: {
    onPointerOver(event: PointerEvent): void
    onPointerLeave(): void
    onFocus(event: FocusEvent): void
    onBlur(): void
  }
}

const idOf = ({ target }: { target: EventTarget }) =>
  (target as Element).closest<HTMLElement>('li[data-key]')?.dataset.key

export function useMarks(): Marks {
  const [pointed] = useState(() => createStore<string | undefined>(undefined))
  const [chosen, onChosen] = useState<string>()
  const point = (id: string | undefined) => id !== pointed.get() && pointed.set(id)
  return {
    pointed,
    chosen,
    onChosen,
    listEvents: {
      onPointerOver: (event) => event.pointerType === 'mouse' && point(idOf(event)),
      onPointerLeave: () => point(undefined),
      onFocus: (event) => point(idOf(event)),
      onBlur: () => point(undefined),
    },
  }
}
