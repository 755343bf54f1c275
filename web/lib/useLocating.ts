// Asking for the device's position, with what came of it.
import { useState } from 'react'
import type { Position } from '../../shared/distances.ts'
import { LocationError, type LocationProblem, locate } from './locate.ts'

/** `begin` asks the browser, once at a time. */
export function useLocating(onFound: (position: Position) => void, exact = false) {
  const [isPending, setPending] = useState(false)
  const [problem, setProblem] = useState<LocationProblem>()
  const begin = async () => {
    setPending(true)
    setProblem(undefined)
    try {
      onFound(await locate(exact))
    } catch (error) {
      setProblem(error instanceof LocationError ? error.problem : 'unavailable')
    } finally {
      setPending(false)
    }
  }
  return { begin, isPending, problem }
}
