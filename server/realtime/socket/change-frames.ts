// Row changes as sockets get them: the same bytes for all who see the same of a change under the same topic.
import type { Change } from '../changes/contract.ts'
import { encode, type Frame, type Version } from './frames.ts'

const frames = new WeakMap<Change, Map<string, Frame>>()

/**
 * The message of a change for the bindings `ids`, made at its first use. Without them it is the one that clients from
 * before the bindings know: the change itself, named by what happened.
 */
export function changeFrame(
  change: Change,
  version: Version,
  topic: string,
  ids: readonly number[] | null,
): Frame {
  let known = frames.get(change)
  if (!known) {
    known = new Map()
    frames.set(change, known)
  }
  const name = `${version} ${ids} ${topic}`
  let frame = known.get(name)
  if (!frame) {
    const { json, payload } = change
    frame = ids
      ? encode(version, null, null, topic, 'postgres_changes', `{"ids":[${ids}],"data":${json}}`)
      : encode(version, null, null, topic, payload.type, json)
    known.set(name, frame)
  }
  return frame
}
