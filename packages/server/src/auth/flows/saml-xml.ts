// XML of SAML, read by one parser that refuses the parts used for attacks. There is no document type, hence there are
// no entities. Messages have no comments, instructions or CDATA either, since readers would disagree on where a text
// ends.
import { DOMParser } from '@xmldom/xmldom'

export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
export const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'
export const ENCRYPTION = 'http://www.w3.org/2001/04/xmlenc#'

/** The root of a document of metadata, which people write comments into. Throws if it is not well-formed. */
export function parseMetadata(text: string): Element {
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw new Error('a document type is not allowed')
  return parse(text)
}

const MAX_MESSAGE_LENGTH = 256 * 1024
const MAX_DEPTH = 64
const MAX_ELEMENTS = 5000
const MAX_PREFIXES = 64

/** The root of a message. Throws if it is not well-formed, has parts that messages do not have, or too many. */
export function parseMessage(text: string): Element {
  refuseLaborious(text)
  const declared = text.replace(/^\uFEFF?\s*<\?xml\s[^>]*\?>/, '')
  if (/<[!?]/.test(declared)) {
    throw new Error('document types, comments, instructions and CDATA are not allowed')
  }
  return parse(text)
}

/**
 * Parsers take the square of the depth and of the namespaces: a stranger's few hundred kilobytes would keep this process
 * busy for a minute. Throws before one begins.
 */
function refuseLaborious(text: string): void {
  if (text.length > MAX_MESSAGE_LENGTH) throw new Error(`it is longer than ${MAX_MESSAGE_LENGTH} characters`)
  let [depth, elements] = [0, 0]
  for (const [tag, slash] of text.matchAll(/<(\/?)(?:[^<>"']|"[^<"]*"|'[^<']*')*>/g)) {
    if (slash) depth--
    else {
      elements++
      if (!tag.endsWith('/>')) depth++
    }
    if (depth > MAX_DEPTH) throw new Error(`it is nested deeper than ${MAX_DEPTH} levels`)
    if (elements > MAX_ELEMENTS) throw new Error(`it has more than ${MAX_ELEMENTS} elements`)
  }
  const prefixes = new Set([...text.matchAll(/\sxmlns:?([^\s=]*)/g)].map(([, prefix]) => prefix))
  if (prefixes.size > MAX_PREFIXES) throw new Error(`it has more than ${MAX_PREFIXES} namespaces`)
}

function parse(text: string): Element {
  // XML has no such character, the parser takes it, and the database cannot store it.
  if (/&#(0+|x0+);|\0/i.test(text)) throw new Error('NUL is no character of XML')
  const refuse = (why: string) => {
    throw new Error(why)
  }
  const parser = new DOMParser({ errorHandler: { warning: refuse, error: refuse, fatalError: refuse } })
  const root = parser.parseFromString(text, 'text/xml')?.documentElement
  if (!root) throw new Error('there is no element')
  return root
}

/** The children of an element that have this name. */
export function children(parent: Element, namespace: string, name: string): Element[] {
  return Array.from(parent.childNodes as ArrayLike<Node>).filter(
    (node): node is Element =>
      node.nodeType === 1 &&
      (node as Element).namespaceURI === namespace &&
      (node as Element).localName === name,
  )
}

/** All elements below, at any depth, that have this name. */
export const descendants = (parent: Element, namespace: string, name: string): Element[] =>
  Array.from(parent.getElementsByTagNameNS(namespace, name) as ArrayLike<Element>)

/** An attribute's value, null where there is none. */
export const attribute = (element: Element, name: string): string | null =>
  element.hasAttribute(name) ? element.getAttribute(name) : null

export const textOf = (element: Element | undefined): string => element?.textContent?.trim() ?? ''
