// Keeps compiled plans by the shape of the request, the least recently used going first.

import type { Choice } from '../query/writer.ts'
import { mediaTypeName } from '../request/media.ts'
import type { RestRequest } from '../request/request.ts'
import type { Compiled } from './compiled.ts'

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
  const plans = new Map<string, Compiled>()
  /** By shape: which operands stand in the statement's text. */
  const choices = new Map<string, Choice[]>()
  return {
    get(request) {
      const shape = shapeOf(request)
      const key = keyOf(shape, choices.get(shape) ?? [], request)
      const plan = plans.get(key)
      if (plan) {
        plans.delete(key)
        plans.set(key, plan)
      }
      return plan
    },
    put(request, plan) {
      if (plan.template.text.length > MAX_CHARACTERS) return plan
      const shape = shapeOf(request)
      if (choices.size >= MAX_PLANS) choices.delete(choices.keys().next().value as string)
      if (plan.template.choices.length > 0) choices.set(shape, plan.template.choices)
      plans.set(keyOf(shape, plan.template.choices, request), plan)
      if (plans.size > MAX_PLANS) plans.delete(plans.keys().next().value as string)
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
