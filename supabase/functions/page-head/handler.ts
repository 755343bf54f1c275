// Describes the page of a task or of a person to search engines and link previews, which run no JavaScript: GET
// ?path=/fr/task/<id> → a PageHead. The server of the app's page fills it in:
// packages/server/src/http/function-pages.ts, or code in front of static files (docs/operations/hosted-supabase.md).
// For a host that runs no code, `&page=whole` answers the whole page.
import { languageOf } from '../../../shared/language.ts'
import { rules } from '../../../shared/rules.ts'
import { endpoint } from '../_shared/endpoint.ts'
import { callAsStranger, type Environment, publicApi, required } from '../_shared/supabase.ts'
import type { PersonFacts, TaskFacts } from './facts.ts'
import { emptyHead, type PageHead, type Place, personHead, taskHead } from './head.ts'
import { wholePage } from './page.ts'

const ADDRESS = new RegExp(
  `^(?:/(${rules.languages.join('|')}))?/(task|profile)/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/?$`,
  'i',
)

export default endpoint(
  { caller: 'anyone', body: askedPath, failure: 'The page cannot be described just now', failureStatus: 503 },
  async ({ body: path, env, request }): Promise<PageHead | Response> => {
    const head = await headOf(path, env)
    const whole = new URL(request.url).searchParams.get('page') === 'whole'
    return whole ? wholePage(siteOf(env), head) : head
  },
)

async function headOf(path: string, env: Environment): Promise<PageHead> {
  const [, code, kind, id] = ADDRESS.exec(path) ?? []
  const place: Place = {
    site: siteOf(env),
    api: publicApi(env),
    language: languageOf(code),
  }
  if (kind === 'task') {
    const task = await callAsStranger<TaskFacts | null>(env, 'task_head', { task: id })
    if (task) return taskHead(task, place)
  }
  if (kind === 'profile') {
    const person = await callAsStranger<PersonFacts | null>(env, 'person_head', { person: id })
    if (person) return personHead(person, place)
  }
  return emptyHead(place)
}

const siteOf = (env: Environment) => new URL(required(env, 'SITE_URL')).origin

function askedPath({ url }: Request): string {
  return new URL(url).searchParams.get('path') ?? ''
}
