// The tables that say where tasks and taskers are, and when taskers work, in the policy matrix.
import type { Rules } from './matrix-rules.ts'
import { seriesTables } from './matrix-series.ts'
import { cast } from './personas.ts'

const id = (person: keyof typeof cast) => `'${cast[person]}'`
const task = '(select id from subject where name = $$task$$)'
const openTask = '(select id from subject where name = $$open task$$)'

export const whereTables: Record<string, Rules> = {
  ...seriesTables,
  places: {
    anon: 'select',
    authenticated: { select: true },
    row: `id = 'regina'`,
    reads: 'anonymous grace theo ada sam',
  },
  task_addresses: {
    authenticated: { select: true, insert: ['task_id', 'address'], update: ['address'], delete: true },
    row: `task_id = ${task}`,
    reads: { posted: 'grace ada', accepted: 'grace theo ada' },
    writes: { address: [`'Elsewhere 2'`, 'grace'] },
    inserts: [{ task_id: openTask, address: `'Temperance Street 1114'` }, 'grace'],
    deletes: { posted: 'grace', accepted: '' },
  },
  task_points: {
    authenticated: {
      select: true,
      insert: ['task_id', 'latitude', 'longitude'],
      update: ['latitude', 'longitude'],
      delete: true,
    },
    row: `task_id = ${task}`,
    reads: { posted: 'grace ada', accepted: 'grace theo ada' },
    writes: { latitude: ['52.1', 'grace'], longitude: ['-106.6', 'grace'] },
    inserts: [{ task_id: openTask, latitude: '52.1', longitude: '-106.6' }, 'grace'],
    deletes: { posted: 'grace', accepted: '' },
  },
  travel_areas: {
    authenticated: {
      select: true,
      insert: ['user_id', 'place_id', 'latitude', 'longitude', 'radius_km'],
      update: ['place_id', 'latitude', 'longitude', 'radius_km'],
      delete: true,
    },
    row: `user_id = ${id('theo')}`,
    reads: 'theo',
    writes: {
      place_id: [`'regina'`, 'theo'],
      latitude: ['52.1', 'theo'],
      longitude: ['-106.6', 'theo'],
      radius_km: ['25', 'theo'],
    },
    inserts: [{ user_id: id('sam'), latitude: '52.1', longitude: '-106.6' }, 'sam'],
    deletes: 'theo',
  },
  calendar_addresses: {
    authenticated: { select: true, delete: true },
    row: `user_id = ${id('theo')}`,
    reads: 'theo',
    deletes: 'theo',
  },
  imported_calendars: {
    authenticated: { select: true, insert: ['user_id', 'name', 'address'], delete: true },
    row: `user_id = ${id('theo')}`,
    reads: 'theo',
    inserts: [
      { user_id: id('theo'), name: `'Club'`, address: `'https://calendar.example/club.ics'` },
      'theo',
    ],
    deletes: 'theo',
  },
  schedule_settings: { authenticated: { select: true }, row: `user_id = ${id('theo')}`, reads: 'theo' },
  working_hours: { authenticated: { select: true }, row: `user_id = ${id('theo')}`, reads: 'theo' },
  hours_exceptions: {
    authenticated: {
      select: true,
      insert: ['user_id', 'day', 'starts', 'ends'],
      update: ['user_id', 'day', 'starts', 'ends'],
      delete: true,
    },
    row: `user_id = ${id('theo')}`,
    reads: 'theo',
    writes: {
      user_id: [id('theo'), 'theo'],
      day: ['current_date + 3', 'theo'],
      starts: [`'08:00'`, 'theo'],
      ends: [`'18:00'`, 'theo'],
    },
    inserts: [{ user_id: id('sam'), day: 'current_date', starts: `'09:00'`, ends: `'12:00'` }, 'sam'],
    deletes: 'theo',
  },
}
