// The times in which a calendar (RFC 5545) says that its person is busy. Titles, places and people are not read.
import ICAL from 'ical.js'
import { Budget, occurrencesOf } from './bounded.ts'
import { ReadFailure } from './failure.ts'
import { Clock, removeOddZones } from './zones.ts'

/** Milliseconds since 1970; the end is not included. */
export type Span = { from: number; until: number }

const DAY_MS = 86_400_000
const DAYS_AHEAD = 400
const MAX_SPANS = 2000
const MAX_EVENTS = 20_000

/** In order and without overlaps, from yesterday on. `home` is the IANA name of the person's clock. Throws ReadFailure. */
export async function busyTimes(text: string, home: string, now = Date.now()): Promise<Span[]> {
  const window = { from: now - DAY_MS, until: now + DAYS_AHEAD * DAY_MS }
  const budget = new Budget()
  const spans: Span[] = []
  let events = 0
  for (const calendar of calendarsIn(text)) {
    for (const event of seriesIn(calendar)) {
      if (++events > MAX_EVENTS) throw new ReadFailure('too_many_events')
      try {
        for (const span of spansOf(event, home, window, budget)) {
          if (span.until > window.from && span.from < window.until && span.until > span.from) spans.push(span)
          await budget.pause()
        }
      } catch (error) {
        // An event with impossible values does not hide the others.
        if (error instanceof ReadFailure) throw error
      }
      await budget.pause()
    }
  }
  const merged = mergedSpans(spans)
  if (merged.length > MAX_SPANS) throw new ReadFailure('too_many_events')
  return merged
}

function calendarsIn(text: string): ICAL.Component[] {
  try {
    const parsed = ICAL.parse(text.replace(/^\ufeff/, ''))
    const roots = Array.isArray(parsed[0]) ? parsed : [parsed]
    const calendars: ICAL.Component[] = roots.map((root: object[]) => new ICAL.Component(root as never))
    if (!calendars.every(({ name }) => name === 'vcalendar')) throw new Error('it is no VCALENDAR')
    calendars.forEach(removeOddZones)
    return calendars
  } catch (error) {
    throw new ReadFailure('not_a_calendar', error)
  }
}

/** An event, or a series with the occurrences that differ from its rule. */
type Series = { event: ICAL.Component; changed: ICAL.Component[] }

/** By their UIDs. A changed occurrence whose series is not in the file counts as an event. */
function seriesIn(calendar: ICAL.Component): Series[] {
  const all = calendar.getAllSubcomponents('vevent')
  const changed = new Map<unknown, ICAL.Component[]>()
  const isChanged = (event: ICAL.Component) => event.hasProperty('recurrence-id')
  for (const event of all.filter(isChanged)) {
    const uid = event.getFirstPropertyValue('uid')
    changed.set(uid, [...(changed.get(uid) ?? []), event])
  }
  const series = all
    .filter((event) => !isChanged(event))
    .map((event) => {
      const uid = event.getFirstPropertyValue('uid')
      const own = changed.get(uid) ?? []
      changed.delete(uid)
      return { event, changed: own }
    })
  const others = [...changed.values()].flat().map((event) => ({ event, changed: [] }))
  return [...series, ...others]
}

function* spansOf({ event, changed }: Series, home: string, window: Span, budget: Budget): Generator<Span> {
  const replaced = new Set(
    changed.flatMap((each) => instantsOf(each.getAllProperties('recurrence-id'), home)),
  )
  for (const each of changed) {
    const span = isBusy(each) && spanOf(each, home)
    if (span) yield span.at(span.start)
  }
  const first = isBusy(event) && spanOf(event, home)
  if (!first) return
  for (const exception of instantsOf(event.getAllProperties('exdate'), home)) replaced.add(exception)
  for (const start of startsOf(event, first, window, budget)) {
    const span = first.at(start)
    if (span.from >= window.until) return
    if (!replaced.has(span.from)) yield span
  }
}

/** The starts of a series: the first, which always counts, RDATE's, and those of its rule in order, which may never end. */
function* startsOf(
  event: ICAL.Component,
  { start, clock }: Occurrence,
  window: Span,
  budget: Budget,
): Generator<ICAL.Time> {
  yield start
  for (const property of event.getAllProperties('rdate'))
    for (const value of property.getValues()) {
      const time = value instanceof ICAL.Period ? value.start : value
      if (time instanceof ICAL.Time && clock.instantOf(time) < window.until) yield time
    }
  for (const property of event.getAllProperties('rrule')) {
    const rule = property.getFirstValue()
    if (!(rule instanceof ICAL.Recur)) continue
    // Compared as instants here: the library compares clocks of different zones.
    const { until } = rule
    const last = until ? (until.isDate ? clock.dayAfter(until, 1) - 1 : clock.instantOf(until)) : Infinity
    rule.until = null
    for (const time of occurrencesOf(rule, start, budget)) {
      const at = clock.instantOf(time)
      if (at > last || at >= window.until) break
      yield time
    }
  }
}

type Occurrence = { start: ICAL.Time; clock: Clock; at(start: ICAL.Time): Span }

/** Null for an event without a start. */
function spanOf(event: ICAL.Component, home: string): Occurrence | null {
  const property = event.getFirstProperty('dtstart')
  const start = property?.getFirstValue()
  if (!property || !(start instanceof ICAL.Time)) return null
  const clock = clockOf(property, home)
  const endProperty = event.getFirstProperty('dtend')
  const end = endProperty?.getFirstValue()
  const duration = event.getFirstPropertyValue('duration')
  const seconds = duration instanceof ICAL.Duration ? duration.toSeconds() : 0
  if (start.isDate) {
    const days =
      end instanceof ICAL.Time ? end.subtractDate(start).toSeconds() / 86_400 : Math.floor(seconds / 86_400)
    return {
      start,
      clock,
      at: (day) => ({ from: clock.dayAfter(day, 0), until: clock.dayAfter(day, Math.max(1, days)) }),
    }
  }
  const length =
    endProperty && end instanceof ICAL.Time
      ? clockOf(endProperty, home).instantOf(end) - clock.instantOf(start)
      : seconds * 1000
  return {
    start,
    clock,
    at: (time) => ({ from: clock.instantOf(time), until: clock.instantOf(time) + length }),
  }
}

function clockOf(property: ICAL.Property, home: string): Clock {
  const tzid = property.getParameter('tzid')
  return new Clock(typeof tzid === 'string' ? tzid : undefined, home)
}

const instantsOf = (properties: ICAL.Property[], home: string): number[] =>
  properties.flatMap((property) =>
    property
      .getValues()
      .flatMap((time) => (time instanceof ICAL.Time ? [clockOf(property, home).instantOf(time)] : [])),
  )

function isBusy(event: ICAL.Component): boolean {
  const word = (name: string) => String(event.getFirstPropertyValue(name) ?? '').toUpperCase()
  return (
    word('transp') !== 'TRANSPARENT' &&
    word('status') !== 'CANCELLED' &&
    // Outlook says "free" here, and does not always say TRANSP.
    word('x-microsoft-cdo-busystatus') !== 'FREE'
  )
}

function mergedSpans(spans: Span[]): Span[] {
  const merged: Span[] = []
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1)
    if (last && span.from <= last.until) last.until = Math.max(last.until, span.until)
    else merged.push({ ...span })
  }
  return merged
}
