// A panel whose code is loaded when somebody reaches for its button.
import { useState } from 'react'

/** `load` imports the panel. `isWanted`: it was opened once, and stays in the page to slide out. */
export function usePanel(load: () => Promise<unknown>) {
  const [isOpen, setOpen] = useState(false)
  const [isWanted, setWanted] = useState(false)
  // Without a connection it stays closed; the bar below the header says why.
  const prepare = () =>
    load().then(
      () => true,
      () => false,
    )
  return {
    isOpen,
    setOpen,
    isWanted,
    button: {
      'aria-haspopup': 'dialog' as const,
      'aria-expanded': isOpen,
      onPointerEnter: () => void prepare(),
      onFocus: () => void prepare(),
      onClick: async () => {
        if (!(await prepare())) return
        setWanted(true)
        setOpen(true)
      },
    },
  }
}
