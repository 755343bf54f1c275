// Runs topics and prints their figures as one table.
import type { Measured } from './figure.ts'
import { openStage, type Stage } from './stage.ts'

export type Topic = {
  title: string
  /** Measures; yields figures as they come, so that what was found before a failure is shown. */
  measure(stage: Stage): AsyncIterable<Measured>
}

/** The topic's figures; a failure becomes a separate line, and what the topic started is stopped. */
export async function measureTopic(
  name: string,
  topic: Topic,
  { cases, log }: Pick<Stage, 'cases' | 'log'>,
): Promise<Measured[]> {
  const stage = openStage(name, { cases, log })
  const figures: Measured[] = []
  try {
    for await (const figure of topic.measure(stage)) {
      figures.push(figure)
      log('error' in figure ? `${figure.name}: ${figure.error}` : line(figure).join('  '))
    }
  } catch (error) {
    figures.push({ name: topic.title, error: (error as Error).message })
    log((error as Error).stack ?? String(error))
  } finally {
    await stage.end()
  }
  return figures
}

const HEAD = ['figure', 'ours', 'against', 'theirs', 'unit', 'ratio', 'bound', 'met']

export function table(figures: readonly Measured[]): string {
  const lines = [HEAD, ...figures.map(line)]
  const widths = HEAD.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  const rows = lines.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return [rows[0], widths.map((width) => '─'.repeat(width)).join('  '), ...rows.slice(1)]
    .map((row) => row?.trimEnd())
    .join('\n')
}

/** The last line: how many bounds are met. */
export function verdict(figures: readonly Measured[]): string {
  const bounded = figures.filter((figure) => !('error' in figure) && figure.bound)
  const met = bounded.filter((figure) => isMet(figure))
  const failed = figures.filter((figure) => 'error' in figure).length
  return `${met.length} of ${bounded.length} bounds met${failed > 0 ? `, ${failed} not measured` : ''}`
}

function line(figure: Measured): string[] {
  if ('error' in figure) return [figure.name, '', '', '', '', '', '', `not measured: ${figure.error}`]
  const { name, ours, against, theirs, unit, bound } = figure
  const limit = bound ? ('atLeast' in bound ? `≥ ${bound.atLeast}` : `≤ ${bound.atMost}`) : ''
  const met = bound ? (isMet(figure) ? 'yes' : 'NO') : ''
  return [name, shown(ours), against, shown(theirs), unit, shown(ours / theirs), limit, met]
}

function isMet(figure: Measured): boolean {
  if ('error' in figure || !figure.bound) return false
  const ratio = figure.ours / figure.theirs
  return 'atLeast' in figure.bound ? ratio >= figure.bound.atLeast : ratio <= figure.bound.atMost
}

function shown(number: number): string {
  if (!Number.isFinite(number)) return String(number)
  return number >= 100 ? String(Math.round(number)) : String(Number(number.toPrecision(3)))
}
