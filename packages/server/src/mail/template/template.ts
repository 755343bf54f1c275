// E-mail and text message templates in the language of GoTrue's: Go's text/template, with the contextual escaping of
// html/template for HTML (https://supabase.com/docs/guides/auth/auth-email-templates).
import { shown } from './embedded.ts'
import { execute, type Output } from './evaluator.ts'
import { callFunction } from './functions.ts'
import { HtmlOutput } from './html.ts'
import { parse } from './parser.ts'
import type { Value } from './values.ts'

/** Names in a template: `.Email` is `values.Email`, `.Data.name` is `values.Data.name`. */
export type TemplateValues = Record<string, unknown>

export type Template = {
  /** HTML, each value escaped by its place in it. Throws a TemplateError. */
  html(values: TemplateValues): string
  /** Text, such as a subject: values as they are but without line ends, missing ones as nothing. Throws a TemplateError. */
  text(values: TemplateValues): string
}

/** Parses a template once. Throws a TemplateError with the line and the unknown syntax. */
export function parseTemplate(source: string): Template {
  const tree = parse(source)
  const write = <Made extends Output>(values: TemplateValues, output: Made): Made => {
    execute(tree, values as Value, output)
    return output
  }
  return {
    html: (values) => write(values, new HtmlOutput()).toString(),
    text: (values) => write(values, new TextOutput()).written,
  }
}

class TextOutput implements Output {
  written = ''

  get length(): number {
    return this.written.length
  }

  text(text: string): void {
    this.written += text
  }

  value(value: Value, escapedBy: Parameters<Output['value']>[1]): void {
    const text = escapedBy ? callFunction(escapedBy, [value]) : value
    this.written += shown(text).replace(/[\r\n]+/g, ' ')
  }
}
