// Files that a form sends under an empty name, as Bun sends a Blob: `filename=""`. They are files by RFC 7578 and to
// Supabase's service, but busboy 1.x takes them for plain fields; so they are given a name before it reads them.
import { Transform } from 'node:stream'

const LINE = Buffer.from('\r\n')
const END_OF_HEAD = Buffer.from('\r\n\r\n')
/** Bytes of a part's head: busboy reads no more of one either. */
const MAX_HEAD_BYTES = 16 * 1024
const UNNAMED = /^(content-disposition:[^\r\n]*;[ \t]*filename=)""/im

/** One step of reading: `length` bytes are consumed and passed on as `bytes`; `whole` where a head or a body ends there. */
type Step = { length: number; bytes: Buffer; whole: boolean }

/** Passes a form on as it comes; the heads of parts with an empty file name say `filename="file"`. */
export function nameUnnamedFiles(contentType: string): Transform {
  const [, quoted, plain = ''] = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType) ?? []
  const delimiter = Buffer.from(`\r\n--${quoted ?? plain}\r\n`, 'latin1')
  // The first delimiter needs no line before it: one is thought there, and not passed on.
  let kept = LINE
  let thought = LINE.length
  let inHead = false
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      kept = Buffer.concat([kept, chunk])
      for (let again = true; again; ) {
        const { length, bytes, whole } = inHead ? readHead(kept) : readBody(kept, delimiter)
        kept = kept.subarray(length)
        const unshown = Math.min(thought, bytes.length)
        thought -= unshown
        this.push(bytes.subarray(unshown))
        if (whole) inHead = !inHead
        again = whole
      }
      done()
    },
    flush(done) {
      this.push(kept.subarray(thought))
      done()
    },
  })
}

/** A body, or what comes before the first part, with the delimiter behind it. */
function readBody(bytes: Buffer, delimiter: Buffer): Step {
  const at = bytes.indexOf(delimiter)
  // The rest may be the beginning of a delimiter.
  const length = at >= 0 ? at + delimiter.length : Math.max(bytes.length - delimiter.length + 1, 0)
  return { length, bytes: bytes.subarray(0, length), whole: at >= 0 }
}

/** A head with the empty line that ends it; one that is too long is passed on as it is. */
function readHead(bytes: Buffer): Step {
  // A part without a head begins with the empty line.
  if (bytes.subarray(0, LINE.length).equals(LINE)) return { length: LINE.length, bytes: LINE, whole: true }
  const at = bytes.indexOf(END_OF_HEAD)
  if (at < 0) return { length: 0, bytes: Buffer.alloc(0), whole: bytes.length > MAX_HEAD_BYTES }
  const length = at + END_OF_HEAD.length
  const text = bytes.toString('latin1', 0, length).replace(UNNAMED, '$1"file"')
  return { length, bytes: Buffer.from(text, 'latin1'), whole: true }
}
