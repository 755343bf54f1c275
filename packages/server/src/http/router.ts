// Finds the route of a request in a service's table: the first whose path and method fit.
import type { Route } from './route.ts'

export interface Match {
  route: Route
  /** Named parts of the path, percent-decoded. */
  params: Record<string, string>
}

export interface Router {
  /** `path` is below the mount, as it was sent. */
  match(method: string, path: string): Match | null
}

type Compiled = { route: Route; methods: ReadonlySet<string> | null; segments: string[]; open: boolean }

export function createRouter(routes: readonly Route[]): Router {
  const compiled = routes.map(compile)
  return {
    match(method, path) {
      const segments = path.split('/')
      for (const candidate of compiled) {
        if (candidate.methods && !candidate.methods.has(method)) continue
        const params = paramsOf(candidate, segments)
        if (params) return { route: candidate.route, params }
      }
      return null
    },
  }
}

function compile(route: Route): Compiled {
  const methods = new Set([route.method].flat())
  if (methods.has('GET')) methods.add('HEAD')
  const open = route.path.endsWith('/*')
  const segments = (open ? route.path.slice(0, -2) : route.path).split('/')
  return { route, methods: methods.has('*') ? null : methods, segments, open }
}

const NO_PARAMS: Record<string, string> = Object.freeze({})

/** The parameters when the path fits, else null. */
function paramsOf({ segments, open }: Compiled, given: readonly string[]): Record<string, string> | null {
  if (open ? given.length < segments.length : given.length !== segments.length) return null
  let params = NO_PARAMS
  for (let at = 0; at < segments.length; at++) {
    const wanted = segments[at] as string
    const part = given[at] as string
    if (wanted.startsWith(':')) {
      if (part === '') return null
      if (params === NO_PARAMS) params = {}
      params[wanted.slice(1)] = decoded(part)
    } else if (wanted !== part && wanted !== decoded(part)) return null
  }
  return params
}

/** Decodes a part of a path; a badly encoded one stays as it is. */
function decoded(part: string): string {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
