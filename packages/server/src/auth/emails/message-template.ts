// A project's template of a message with the built-in one behind it: a template that is wrong must not keep anybody from
// signing up, so it is reported, and the built-in one is sent.
import { parseTemplate, type Template, type TemplateValues } from '../../mail/template/template.ts'

/** Receives the place of a template (a file or a setting) and its error, at the start and for each message. */
export type ReportProblem = (place: string, problem: string) => void

/** `given` is the project's own template, if it has one. The functions of the result do not throw. */
export function loadTemplate(
  place: string,
  given: string | undefined,
  builtIn: string,
  report: ReportProblem,
): Template {
  const fallback = parseTemplate(builtIn)
  if (given === undefined) return fallback
  const own = parseOrProblem(given)
  if (typeof own === 'string') report(place, own)
  const render = (format: keyof Template) => (values: TemplateValues) => {
    try {
      if (typeof own === 'string') throw new Error(own)
      return own[format](values)
    } catch (error) {
      report(place, (error as Error).message)
      return fallback[format](values)
    }
  }
  return { html: render('html'), text: render('text') }
}

function parseOrProblem(source: string): Template | string {
  try {
    return parseTemplate(source)
  } catch (error) {
    return (error as Error).message
  }
}
