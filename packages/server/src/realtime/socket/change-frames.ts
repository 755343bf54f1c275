// Row changes as frames: the same buffer for all channels that see the same of a change under the same topic.
import type { Change } from '../changes/contract.ts'
import { encode, type Frame, type Version } from './frames.ts'

const frames = new WeakMap<Change, Map<string, Frame>>()

/**
 * The message of a change for the bindings `ids`, encoded at its first use. Without them it has the form for clients
 * that join without a config: the change itself, with its type as event.
 */
export function changeFrame(
  change: Change,
  version: Version,
  topic: string,
  ids: readonly number[] | null,
): Frame {
  const cached = frames.get(change) ?? new Map<string, Frame>()
  frames.set(change, cached)
  const key = `${version} ${ids} ${topic}`
  let frame = cached.get(key)
  if (!frame) {
    const { json, payload } = change
    frame = ids
      ? encode(version, null, null, topic, 'postgres_changes', `{"ids":[${ids}],"data":${json}}`)
      : encode(version, null, null, topic, payload.type, json)
    cached.set(key, frame)
  }
  return frame
}
