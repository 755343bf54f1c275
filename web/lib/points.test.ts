// Coordinates as people type them, and links to the device's navigator.
import { expect, test } from 'vitest'
import { kmBetween } from '../../shared/distances.ts'
import { directionsUrl, directionTo, movedBy, pointFrom, pointText } from './points.ts'

const nutana = { latitude: 52.1157, longitude: -106.6571 }

test('reads coordinates in the notations that maps and keyboards have', () => {
  for (const typed of [
    '52.1157, -106.6571',
    ' 52.1157,-106.6571 ',
    '52.1157 -106.6571',
    '52,1157, -106,6571',
    '52.1157° N, 106.6571° W',
    '٥٢.1157, -106.6571',
  ])
    expect(pointFrom(typed), typed).toEqual(nutana)
  expect(pointFrom(pointText(nutana))).toEqual(nutana)
})

test('refuses text, infinities and numbers that are not degrees', () => {
  for (const typed of [
    '',
    '52.1',
    'north, west',
    'NaN, NaN',
    'Infinity, -106',
    '91, -106',
    '52, -181',
    '1e1, 2',
  ])
    expect(pointFrom(typed), typed).toBeNull()
})

test('moves a point by metres', () => {
  expect(kmBetween(nutana, movedBy(nutana, 100, 0))).toBeCloseTo(0.1, 4)
  const east = movedBy(nutana, 0, 100)
  expect(kmBetween(nutana, east)).toBeCloseTo(0.1, 4)
  expect(directionTo(nutana, east)).toBe('e')
  expect(directionTo(nutana, movedBy(nutana, -100, -100))).toBe('sw')
  expect(directionTo(nutana, movedBy(nutana, -100, 0))).toBe('s')
})

test('leads to a point or an address, through the stops before', () => {
  const { searchParams } = new URL(directionsUrl([nutana, 'Broadway & Main, Saskatoon']))
  expect(Object.fromEntries(searchParams)).toEqual({
    api: '1',
    destination: 'Broadway & Main, Saskatoon',
    waypoints: '52.11570, -106.65710',
  })
  expect(directionsUrl([nutana])).not.toContain('waypoints')
})
