// Keeps compiled requests by their shape, the least recently used going first.
import { LRUCache } from 'lru-cache'
import { mediaTypeName } from '../request/media.ts'
import type { RestRequest } from '../request/request.ts'
import type { Compiled } from './compile.ts'
import type { Choice } from './writer.ts'

export type PlanCache = {
  get(request: RestRequest): Compiled | undefined
  /** Returns the plan and, unless it is very large, keeps it. */
  put(request: RestRequest, plan: Compiled): Compiled
  clear(): void
}

const MAX_PLANS = 1000
/** Larger plans are made anew each time, so that memory stays bounded. */
const MAX_CHARACTERS = 10_000

export function openPlanCache(): PlanCache {
  const plans = new LRUCache<string, Compiled>({ max: MAX_PLANS })
  /** By shape: the operands that are part of the statement's text. */
  const choices = new LRUCache<string, Choice[]>({ max: MAX_PLANS })
  return {
    get(request) {
      const shape = shapeOf(request)
      return plans.get(keyOf(shape, choices.get(shape) ?? [], request))
    },
    put(request, plan) {
      const { text, choices: chosen } = plan.template
      if (text.length > MAX_CHARACTERS) return plan
      const shape = shapeOf(request)
      if (chosen.length > 0) choices.set(shape, chosen)
      plans.set(keyOf(shape, chosen, request), plan)
      return plan
    },
    clear() {
      plans.clear()
      choices.clear()
    },
  }
}

/** The shape, with those values that are part of the plan. */
function keyOf(shape: string, choices: readonly Choice[], { query }: RestRequest): string {
  let key = shape
  for (const { value, labels } of choices) {
    const chosen = query.values[value] as string
    key += `\n${labels.includes(chosen) ? chosen : ''}`
  }
  return key
}

/** Everything that the plan depends on; requests with equal shapes differ in values only. */
function shapeOf(request: RestRequest): string {
  const { method, target, schema, query, range, preferences, payload } = request
  const name = target.kind === 'root' ? '' : target.name
  const accept = request.accept.map(mediaTypeName).join()
  const { count, missing, resolution, handling, maxAffected } = preferences
  const prefer = `${preferences.return}|${count}|${missing}|${resolution}|${handling}|${maxAffected}`
  const body =
    payload === null
      ? ''
      : payload.kind === 'json'
        ? `${payload.isArray}${JSON.stringify(payload.keys)}`
        : `${payload.kind}${request.contentType.kind}`
  return `${method} ${target.kind} ${schema}\n${name}\n${accept}\n${prefer}\n${body}\n${range.limit}+${range.offset}\n${query.shape}`
}
