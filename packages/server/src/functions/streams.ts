// Bodies that stream through the host: how much comes in, how long nothing may come out, when all of it has gone.
import type { Readable } from 'node:stream'

/**
 * A web stream of `incoming`; `onCancel` is called when the reader cancels. Node's `Readable.toWeb` throws an
 * uncatchable error if bytes arrive while the stream is cancelled.
 */
export function webStreamOf(incoming: Readable, onCancel = () => {}): ReadableStream<Uint8Array> {
  let over = false
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (finish: () => void) => {
        if (!over) finish()
        over = true
      }
      incoming.on('data', (chunk: Buffer) => {
        if (over) return
        controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength))
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause()
      })
      incoming.pause()
      incoming.once('end', () => end(() => controller.close()))
      incoming.once('error', (error) => end(() => controller.error(error)))
      incoming.once('close', () => end(() => controller.error(new Error('the body was cut off'))))
    },
    pull() {
      incoming.resume()
    },
    cancel() {
      over = true
      onCancel()
    },
  })
}

/** The body, each part of which is reported to `count` before it is passed on; it errors once that returns false. */
export function counted(
  body: ReadableStream<Uint8Array>,
  count: (bytes: number) => boolean,
): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (count(chunk.byteLength)) controller.enqueue(chunk)
        else controller.error(new Error('the request body was refused'))
      },
    }),
  )
}

/** The same answer; `done` is called once, when its body was read to the end, failed or was given up. */
export function whenRead(answer: Response, done: () => void): Response {
  if (!answer.body) {
    done()
    return answer
  }
  const reader = answer.body.getReader()
  let reported = false
  const tell = () => {
    if (!reported) done()
    reported = true
  }
  const body = new ReadableStream({
    async pull(controller) {
      try {
        const { done: ended, value } = await reader.read()
        if (!ended) return controller.enqueue(value)
        tell()
        controller.close()
      } catch (error) {
        tell()
        controller.error(error)
      }
    },
    cancel(reason) {
      tell()
      return reader.cancel(reason)
    },
  })
  return new Response(body, answer)
}

/** The same answer, cut off with an error when its body brings nothing for `timeoutMs` milliseconds. */
export function keptMoving(answer: Response, timeoutMs: number, onStall: () => void): Response {
  if (!answer.body) return answer
  let timer: NodeJS.Timeout | undefined
  const reader = answer.body.getReader()
  const body = new ReadableStream({
    async pull(controller) {
      const stalled = new Promise<'stalled'>((resolve) => {
        timer = setTimeout(resolve, timeoutMs, 'stalled')
      })
      try {
        const next = await Promise.race([reader.read(), stalled])
        if (next === 'stalled') {
          onStall()
          reader.cancel().catch(() => {})
          return controller.error(new Error(`nothing came for ${timeoutMs / 1000} s`))
        }
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      } catch (error) {
        controller.error(error)
      } finally {
        clearTimeout(timer)
      }
    },
    cancel(reason) {
      clearTimeout(timer)
      return reader.cancel(reason)
    },
  })
  return new Response(body, answer)
}
