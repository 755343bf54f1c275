// Choices that are stored in the address.
import { useState } from 'react'

/** A value that shows a choice at once and follows the address, which takes a moment to change. */
export function useOptimisticChoice<Value>(fromAddress: Value): [Value, (next: Value) => void] {
  const [chosen, setChosen] = useState(fromAddress)
  const [previous, setPrevious] = useState(fromAddress)
  if (fromAddress !== previous) {
    setPrevious(fromAddress)
    setChosen(fromAddress)
  }
  return [chosen, setChosen]
}
