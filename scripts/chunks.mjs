// Which modules share a file in the build. Groups of our modules are derived from their importers; libraries that
// many screens need have a file each, because they change rarely.
import { join } from 'node:path'

const WEB = join(import.meta.dirname, '../web')
/** The browser's entry, which loads the app when the page wants it. */
const ENTRY = join(WEB, 'app/main.tsx')
/** The frame of every screen. */
const FRAME = join(WEB, 'app/start.tsx')
/** The two lists that are shown before the app has started (web/app/earlyList.tsx). */
const LIST_FRAME = join(WEB, 'app/earlyList.tsx')
const TASKS = join(WEB, 'features/tasks/earlyTasks.tsx')
const TASKERS = join(WEB, 'features/taskers/earlyTaskers.tsx')
/** Libraries of forms and overlays. Pages without forms and overlays do without them. */
const FORMS_AND_OVERLAYS = /node_modules\/(zod|react-hook-form|@hookform|radix-ui)\//

/** Libraries and icons of the cards in both lists. Their packages' indexes import everything, so the graph cannot tell. */
const OF_CARDS = new RegExp(
  [
    'node_modules/(tailwind-merge|clsx|@radix-ui/react-(slot|compose-refs|direction))/',
    'lucide-react/dist/esm/icons/(badge-check|calendar-days|circle-check-big|clock|map-pin|sparkles|users)\\.',
  ].join('|'),
)

/** Groups for rolldown's `codeSplitting`. A module belongs to the first group that takes it. */
export function chunkGroups(frameTexts) {
  const graph = createGraph()
  const group = (name, has) => ({
    debugName: name,
    name: (id, context) => (has(graph(context), id) ? name : null),
  })
  return [
    group('entry', withEntry),
    { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
    { name: 'router', test: /node_modules\/react-router\// },
    {
      name: 'i18n',
      test: /node_modules\/(i18next|react-i18next|html-parse-stringify|use-sync-external-store)\//,
    },
    { name: 'data', test: /node_modules\/@tanstack\/(react-query|query-core)\// },
    { name: 'rest', test: /node_modules\/@supabase\/postgrest-js\// },
    {
      name: 'grid',
      test: /web\/ui\/(VirtualGrid|useColumns)\.tsx?|@tanstack\/(react-virtual|virtual-core)\//,
    },
    // Each list is one file: one request shows it sooner than six.
    group('parts', (graph, id) => inLists(graph, id) || OF_CARDS.test(id)),
    group('tasks', ({ reached }, id) => reached(TASKS).has(id)),
    group('taskers', ({ reached }, id) => reached(TASKERS).has(id)),
    group('frame', ({ reached }, id) => /web\/(lib|ui)\//.test(id) && reached(FRAME).has(id)),
    { name: 'supabase', test: /node_modules\/(@supabase|iceberg-js)\// },
    // One by one they are two hundred bytes and a request each.
    { name: 'icons', test: /lucide-react/, minShareCount: 2 },
    // Apart from our part of a map, which changes more often and which `npm run bench web map` measures.
    { name: 'maplibre', test: /node_modules\/maplibre-gl\// },
    { name: 'dates', test: /node_modules\/date-fns\//, minShareCount: 3 },
    {
      debugName: 'texts',
      name: (path) => `texts-${/web\/i18n\/([a-z]+)\//.exec(path)?.[1]}`,
      test: new RegExp(`web/i18n/[a-z]+/(${frameTexts.join('|')})\\.json$`),
    },
    // Modules shared by all overlays.
    {
      name: 'primitives',
      test: /node_modules\/@radix-ui\/(primitive|react-(context|primitive|use-[\w-]+))\//,
    },
    {
      ...group(
        'ui',
        (graph, id) =>
          ![...graph.reached(id)].some(
            (part) => !inLists(graph, part) && graph.imports(part, FORMS_AND_OVERLAYS),
          ),
      ),
      test: /web\/(ui|lib)\//,
      minShareCount: 8,
    },
    { name: 'forms', test: /node_modules\/(zod|react-hook-form)\// },
    {
      name: 'overlays',
      test: /node_modules\/(@radix-ui|@floating-ui|react-remove-scroll|aria-hidden)/,
      minShareCount: 3,
    },
  ]
}

/** The entry's own file keeps its styles and fonts, which scripts/prerender.mjs looks up under its name. */
const withEntry = ({ reached }, id) =>
  (id !== ENTRY && !id.endsWith('.css') && reached(ENTRY).has(id)) ||
  /vite\/preload-helper|rolldown\/runtime/.test(id)

/** Modules that both lists show. */
const inLists = ({ reached }, id) =>
  reached(LIST_FRAME).has(id) ||
  (reached(TASKS).has(id) && (reached(TASKERS).has(id) || reached(FRAME).has(id)))

/** The import graph of our modules. A library's file follows the module that imports it. */
function createGraph() {
  const known = new Map()
  return (context) => {
    const imported = (id) => context.getModuleInfo(id)?.importedIds ?? []
    return {
      /** The module and all that it imports statically. */
      reached(id) {
        const found = known.get(id)
        if (found) return found
        const modules = new Set([id])
        for (const module of modules) {
          for (const next of imported(module)) if (!next.includes('node_modules')) modules.add(next)
        }
        known.set(id, modules)
        return modules
      },
      imports: (id, library) => imported(id).some((other) => library.test(other)),
    }
  }
}
