// A checkout of the same sources whose marketplace.config.ts was edited, and after it the commands of CONTRIBUTING.md.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryFile } from '../../plugins/repository.ts'
import { copySources } from '../support/production-install.ts'

export interface Checkout {
  folder: string
  remove(): void
}

/** Ontario's values in place of Saskatchewan's: one line for each value, in the order of the file. */
const EDITS: [RegExp, string][] = [
  [/Canadian dollars/, 'dollars of Canada'],
  [/platformPercent: 15/, 'platformPercent: 12.5'],
  [/cancellationFlatCents: 500/, 'cancellationFlatCents: 700'],
  [/percent: 5,/, 'percent: 13,'],
  [/'GST'/g, "'HST'"],
  [/'TPS'/g, "'TVH'"],
  [/min: 25,/, 'min: 30,'],
  [/America\/Regina/, 'America/Toronto'],
  [/Saskatchewan/g, 'Ontario'],
  [/Саскачеван/g, 'Онтарио'],
  [/सस्केचेवान/g, 'ओंटारियो'],
  [/萨省/g, '安省'],
  [/ساسكاتشوان/g, 'أونتاريو'],
  [/code: 'SK'/, "code: 'ON'"],
  // Examples in texts and forms.
  [/Regina/g, 'Ottawa'],
  [/Prince Albert/g, 'Thunder Bay'],
  [/Saskatoon, Nutana/g, 'Toronto, Leslieville'],
  [/hello@meadowlark\.example/, 'hello@ontario.example'],
]

const PLACES = [
  { id: 'toronto', name: 'Toronto', kind: 'city', latitude: 43.65, longitude: -79.38 },
  { id: 'ottawa', name: 'Ottawa', kind: 'city', latitude: 45.42, longitude: -75.69 },
  { id: 'thunder-bay', name: 'Thunder Bay', kind: 'city', latitude: 48.38, longitude: -89.25 },
]

/** Its south, as a rectangle. */
const MAP = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      properties: { kind: 'province', name: 'Ontario' },
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [-95, 41],
            [-74, 41],
            [-74, 57],
            [-95, 57],
            [-95, 41],
          ],
        ],
      },
    },
  ],
}

/** Copies the checkout, has it be Ontario's, and writes its SQL. Its database has no demo people. */
export function ontario(): Checkout {
  const parent = mkdtempSync(join(tmpdir(), 'meadowlark-ontario-'))
  const folder = join(parent, 'checkout')
  copySources(folder)
  symlinkSync(repositoryFile('node_modules'), join(folder, 'node_modules'))
  edit(join(folder, 'marketplace.config.ts'), EDITS)
  writeFileSync(join(folder, 'supabase/places.json'), JSON.stringify({ places: PLACES }))
  writeFileSync(join(folder, 'shared/map/province.json'), JSON.stringify(MAP))
  removeHoliday(join(folder, 'shared/holidays.json'), 'saskatchewan')
  edit(join(folder, 'supabase/config.toml'), [[/(\[db\.seed\][^[]*enabled = )true/, '$1false']])
  for (const [script = '', ...args] of [
    ['marketplace'],
    ['emails'],
    ['migration', 'another_province'],
    ['migrations-hash'],
    ['build'],
  ])
    execFileSync(process.execPath, [`scripts/${script}.mjs`, ...args], { cwd: folder, stdio: 'pipe' })
  return { folder, remove: () => rmSync(parent, { recursive: true, force: true }) }
}

function edit(path: string, edits: [RegExp, string][]): void {
  const written = edits.reduce((text, [from, to]) => text.replace(from, to), readFileSync(path, 'utf8'))
  writeFileSync(path, written)
}

function removeHoliday(path: string, name: string): void {
  const { names, days } = JSON.parse(readFileSync(path, 'utf8'))
  const left = Object.entries(days).filter(([, holiday]) => holiday !== name)
  delete names[name]
  writeFileSync(path, JSON.stringify({ names, days: Object.fromEntries(left) }))
}
