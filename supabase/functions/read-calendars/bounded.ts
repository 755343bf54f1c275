// Repeat rules of calendars that strangers wrote. A rule may have no occurrence at all, such as every 30 February, or one in each
// second: the library would look for the next one for ever. Here each step of its search is counted.
import ICAL from 'ical.js'
import { ReadFailure } from './failure.ts'

const MAX_INTERVAL = 1000
/** For one occurrence: 54 years of days. */
const MAX_SEARCH_STEPS = 20_000
/** Of all events of a calendar: twenty-five meetings that have repeated daily for ten years. A step takes up to 10 µs. */
const MAX_STEPS = 200_000
const MAX_MS = 4000
/** Other requests of the process go on after this long. */
const PAUSE_AFTER_MS = 20

/** The rule has no further occurrence within the limit. */
class NoneFound extends Error {}

/** The steps that the events of one calendar may take together. */
export class Budget {
  private left = MAX_STEPS
  private search = 0
  private readonly end = performance.now() + MAX_MS
  private pauseAt = performance.now() + PAUSE_AFTER_MS

  beginSearch(): void {
    this.search = 0
  }

  /** Throws ReadFailure too_many_events once nothing is left. */
  spend(steps: number): void {
    this.left -= steps
    this.search += steps
    if (this.left < 0 || performance.now() > this.end) throw new ReadFailure('too_many_events')
    if (this.search > MAX_SEARCH_STEPS) throw new NoneFound()
  }

  /** Lets others work from time to time. */
  async pause(): Promise<void> {
    if (performance.now() < this.pauseAt) return
    await new Promise((resolve) => setTimeout(resolve))
    this.pauseAt = performance.now() + PAUSE_AFTER_MS
  }
}

/** The occurrences of a rule by the clock of `start`, in order; without end if the rule has none, and none if it contradicts itself. */
export function* occurrencesOf(
  rule: ICAL.Recur,
  start: ICAL.Time,
  budget: Budget,
): Generator<ICAL.Time, void> {
  if (!(rule.interval >= 1 && rule.interval <= MAX_INTERVAL)) throw new ReadFailure('too_many_events')
  try {
    budget.beginSearch()
    const occurrences = counted(rule, start, budget)
    for (;;) {
      budget.beginSearch()
      budget.spend(1)
      const next = occurrences.next()
      if (!next) return
      yield next
    }
  } catch (error) {
    // The library throws other errors for rules that no program should write.
    if (error instanceof ReadFailure) throw error
  }
}

/** The library's loops call the methods overridden here once in each round, some of them in its constructor. */
function counted(rule: ICAL.Recur, start: ICAL.Time, budget: Budget): ICAL.RecurIterator {
  class Counted extends ICAL.RecurIterator {
    override check_contracting_rules() {
      budget.spend(1)
      return super.check_contracting_rules()
    }

    override expand_year_days(year: number) {
      budget.spend(1)
      return super.expand_year_days(year)
    }

    override increment_month() {
      budget.spend(1)
      super.increment_month()
    }

    override increment_monthday(days: number) {
      budget.spend(days)
      super.increment_monthday(days)
    }
  }
  return new Counted({ rule, dtstart: start })
}
