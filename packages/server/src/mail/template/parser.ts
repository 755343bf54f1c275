// Parses the tokens of a template into its tree. Follows https://pkg.go.dev/text/template.
import { FUNCTION_NAMES } from './functions.ts'
import { type Segment, type Token, tokenize } from './lexer.ts'
import type { Command, Node, Operand, Pipeline, Tree } from './nodes.ts'
import { TemplateError } from './values.ts'

/** Nested blocks and parentheses: deeper ones could exhaust the stack. */
const MAX_DEPTH = 200

/** Throws a TemplateError with the line and the unknown syntax. */
export function parse(source: string): Tree {
  return new Parser(tokenize(source)).parse()
}

class Parser {
  private readonly segments: Segment[]
  private readonly defined = new Map<string, Node[]>()
  private readonly called: { name: string; line: number }[] = []
  private variables = ['$']
  private position = 0
  private ranges = 0
  private depth = 0

  constructor(segments: Segment[]) {
    this.segments = segments
  }

  parse(): Tree {
    const { nodes, end } = this.nodes()
    if (end) throw failed(end.line, `{{ ${end.keyword} }} has no {{ if }}`)
    for (const { name, line } of this.called) {
      if (!this.defined.has(name)) throw failed(line, `no template is defined as "${name}"`)
    }
    return { nodes, defined: this.defined }
  }

  /** Nodes up to an `else` or `end`, which is consumed, or to the end of the source. */
  private nodes(): { nodes: Node[]; end: Action | null } {
    if (++this.depth > MAX_DEPTH) throw new TemplateError('the blocks are nested too deeply')
    const nodes: Node[] = []
    for (;;) {
      const segment = this.segments[this.position++]
      if (!segment) {
        this.depth--
        return { nodes, end: null }
      }
      if ('text' in segment) {
        nodes.push({ type: 'text', text: segment.text })
        continue
      }
      const action = new Action(segment.tokens, segment.line, this.variables, MAX_DEPTH)
      if (action.keyword === 'else' || action.keyword === 'end') {
        this.depth--
        return { nodes, end: action }
      }
      const node = this.node(action)
      if (node) nodes.push(node)
    }
  }

  private node(action: Action): Node | null {
    const { keyword, line } = action
    switch (keyword) {
      case 'if':
      case 'with':
      case 'range':
        return this.block(keyword, action)
      case 'define':
      case 'block':
        return this.definition(keyword, action)
      case 'template':
        return this.call(action)
      case 'break':
      case 'continue':
        action.finish()
        if (this.ranges === 0) throw failed(line, `{{ ${keyword} }} is outside of a {{ range }}`)
        return { type: keyword, line }
      default: {
        const pipeline = action.pipeline()
        return { type: 'action', pipeline, line, escaped: escaperOf(pipeline) }
      }
    }
  }

  private block(type: 'if' | 'with' | 'range', action: Action): Node {
    const { line } = action
    const outer = this.variables.length
    const pipeline = action.pipeline(type === 'range')
    const declared = this.variables.length
    if (type === 'range') this.ranges++
    const { nodes: body, end } = this.nodes()
    if (type === 'range') this.ranges--
    this.variables.length = declared
    if (!end) throw failed(line, `{{ ${type} }} has no {{ end }}`)
    const otherwise = this.otherwise(type, end)
    this.variables.length = outer
    return { type, pipeline, body, otherwise, line }
  }

  /** The rest of `action` after an `else`; empty after an `end`. */
  private otherwise(type: 'if' | 'with' | 'range', action: Action): Node[] {
    if (action.keyword === 'end') {
      action.finish()
      return []
    }
    const next = action.keywordAfter()
    if (next !== null) {
      if (next !== type || next === 'range') throw failed(action.line, `{{ else ${next} }} is not understood`)
      return [this.block(next, action)]
    }
    action.finish()
    const { nodes, end } = this.nodes()
    if (end?.keyword !== 'end') throw failed(action.line, `{{ else }} of {{ ${type} }} has no {{ end }}`)
    end.finish()
    return nodes
  }

  private definition(type: 'define' | 'block', action: Action): Node | null {
    const { line } = action
    if (type === 'define' && this.depth > 1) throw failed(line, '{{ define }} must not be inside of a block')
    const name = action.name()
    const pipeline = type === 'block' ? action.pipeline() : null
    if (type === 'define') action.finish()
    const outside = { variables: this.variables, ranges: this.ranges }
    Object.assign(this, { variables: ['$'], ranges: 0 })
    const { nodes, end } = this.nodes()
    if (end?.keyword !== 'end') throw failed(line, `{{ ${type} "${name}" }} has no {{ end }}`)
    end.finish()
    Object.assign(this, outside)
    if (this.defined.has(name)) throw failed(line, `"${name}" is defined twice`)
    this.defined.set(name, nodes)
    return pipeline && { type: 'template', name, pipeline, line }
  }

  private call(action: Action): Node {
    const { line } = action
    const name = action.name()
    this.called.push({ name, line })
    return { type: 'template', name, pipeline: action.isAtEnd() ? null : action.pipeline(), line }
  }
}

/** One action: `{{ … }}`. */
class Action {
  readonly keyword: string | null = null
  readonly line: number
  private readonly tokens: Token[]
  /** Names that are in scope; declarations add to it. */
  private readonly variables: string[]
  private readonly maxDepth: number
  private position = 0
  private depth = 0

  constructor(tokens: Token[], line: number, variables: string[], maxDepth: number) {
    this.tokens = tokens
    this.line = line
    this.variables = variables
    this.maxDepth = maxDepth
    const [first] = tokens
    if (first?.type === 'keyword' && !['nil', 'true', 'false'].includes(first.text)) {
      this.keyword = first.text
      this.position = 1
    }
  }

  isAtEnd = (): boolean => this.position >= this.tokens.length

  finish(): void {
    if (!this.isAtEnd()) throw this.misunderstood()
  }

  /** The keyword after `else`. */
  keywordAfter(): string | null {
    const token = this.tokens[this.position]
    if (token?.type !== 'keyword') return null
    this.position++
    return token.text
  }

  /** The quoted name of a template. */
  name(): string {
    const token = this.tokens[this.position++]
    if (typeof token?.value !== 'string') throw this.misunderstood()
    return token.value
  }

  pipeline(isRange = false): Pipeline {
    const { variables, isAssignment } = this.declaration(isRange)
    const pipeline = { ...this.commands(), variables, isAssignment }
    this.finish()
    for (const name of variables) {
      if (!isAssignment) this.variables.push(name)
      else if (!this.variables.includes(name)) throw failed(this.line, `the variable ${name} is not declared`)
    }
    return pipeline
  }

  /** `$x :=`, `$x =`, or in a range `$i, $x :=`. */
  private declaration(isRange: boolean): Pick<Pipeline, 'variables' | 'isAssignment'> {
    const [first, second, third, fourth] = this.tokens.slice(this.position)
    const isSign = (token?: Token) => token?.text === ':=' || token?.text === '='
    if (first?.type === 'variable' && isSign(second)) {
      this.position += 2
      return { variables: [first.text], isAssignment: second?.text === '=' }
    }
    if (isRange && first?.type === 'variable' && second?.text === ',' && third?.type === 'variable') {
      if (!isSign(fourth)) throw this.misunderstood()
      this.position += 4
      return { variables: [first.text, third.text], isAssignment: fourth?.text === '=' }
    }
    return { variables: [], isAssignment: false }
  }

  private commands(): Pick<Pipeline, 'commands' | 'line'> {
    if (++this.depth > this.maxDepth) throw failed(this.line, 'the parentheses are nested too deeply')
    const first = this.command()
    const commands: Pipeline['commands'] = [first]
    while (this.take('|')) {
      const next = this.command()
      const [{ type }] = next.operands
      if (type === 'dot' || type === 'literal') throw failed(next.line, 'a value cannot follow |')
      commands.push(next)
    }
    this.depth--
    return { commands, line: first.line }
  }

  private command(): Command {
    const line = this.tokens[this.position]?.line ?? this.line
    const operands: Operand[] = []
    for (;;) {
      const token = this.tokens[this.position]
      if (!token || token.text === '|' || token.text === ')') break
      if (operands.length > 0 && !token.spaced) throw this.misunderstood()
      operands.push(this.operand(token))
    }
    const [first, ...more] = operands
    if (!first) throw this.misunderstood()
    if (first.type === 'literal' && first.value === null) throw failed(line, 'nil is not a command')
    return { operands: [first, ...more], line }
  }

  private operand(token: Token): Operand {
    this.position++
    switch (token.type) {
      case 'field':
        return { type: 'field', fields: [token.text.slice(1), ...this.fields()] }
      case 'variable':
        if (!this.variables.includes(token.text)) {
          throw failed(token.line, `the variable ${token.text} is not declared`)
        }
        return { type: 'variable', name: token.text, fields: this.fields() }
      case 'identifier':
        if (!FUNCTION_NAMES.has(token.text)) {
          throw failed(token.line, `there is no function "${token.text}"`)
        }
        return { type: 'function', name: token.text }
      case 'literal':
        return { type: 'literal', value: token.value }
      case 'keyword':
        if (token.text === 'nil') return { type: 'literal', value: null }
        if (token.text === 'true' || token.text === 'false') {
          return { type: 'literal', value: token.text === 'true' }
        }
    }
    if (token.text === '.') return { type: 'dot' }
    if (token.text !== '(') throw this.misunderstood()
    const pipeline = { ...this.commands(), variables: [], isAssignment: false }
    if (!this.take(')')) throw failed(token.line, 'a parenthesis is not closed')
    return { type: 'parentheses', pipeline, fields: this.fields() }
  }

  /** Fields that follow without a space. */
  private fields(): string[] {
    const fields: string[] = []
    for (;;) {
      const token = this.tokens[this.position]
      if (token?.type !== 'field' || token.spaced) return fields
      fields.push(token.text.slice(1))
      this.position++
    }
  }

  private take(symbol: string): boolean {
    const token = this.tokens[this.position]
    if (token?.type !== 'symbol' || token.text !== symbol) return false
    this.position++
    return true
  }

  private misunderstood(): TemplateError {
    const source = this.tokens.map(({ text, spaced }) => (spaced ? ` ${text}` : text)).join('')
    return failed(this.line, `{{ ${source.trim()} }} is not understood`)
  }
}

const failed = (line: number, message: string): TemplateError => new TemplateError(`line ${line}: ${message}`)

/** The pipeline without the `html` or `urlquery` at its end, if there is one; a variable gets what they make. */
function escaperOf(pipeline: Pipeline): Extract<Node, { type: 'action' }>['escaped'] {
  const last = pipeline.commands.at(-1) as Command
  const [first, ...args] = last.operands
  if (pipeline.variables.length > 0) return null
  if (first.type !== 'function' || (first.name !== 'html' && first.name !== 'urlquery')) return null
  if (pipeline.commands.length === 1 && args.length > 0) {
    const print: Command = { operands: [{ type: 'function', name: 'print' }, ...args], line: last.line }
    return { by: first.name, pipeline: { ...pipeline, commands: [print] } }
  }
  const [command, ...more] = pipeline.commands.slice(0, -1)
  if (!command || args.length > 0) return null
  return { by: first.name, pipeline: { ...pipeline, commands: [command, ...more] } }
}
