// Executes a parsed template. Follows https://pkg.go.dev/text/template, with bounds: what a template is given may come from a
// stranger.
import { callFunction } from './functions.ts'
import type { Command, Escaper, Node, Operand, Pipeline, Tree } from './nodes.ts'
import { isTrue, memberOf, sortedKeys, TemplateError, typeName, type Value } from './values.ts'

/** Nodes, commands and turns of a loop in one execution, and the additional cost of lists, maps and long texts. */
const MAX_STEPS = 100_000
/** Characters of a text that cost a step. */
const CHARACTERS_PER_STEP = 100
/** Characters of the whole output, and of a value that a function makes. */
const MAX_CHARACTERS = 1_000_000
/** Templates that call each other. */
const MAX_CALLS = 100

/** Receives what an execution writes, in order. */
export interface Output {
  text(text: string): void
  /** `escapedBy`: the value is yet to be escaped by this function, as the template says. */
  value(value: Value, escapedBy: Escaper | null): void
  /** Characters so far. */
  readonly length: number
}

/** Executes the tree with `values` as its dot. Throws a TemplateError with the line and the reason. */
export function execute(tree: Tree, values: Value, output: Output): void {
  new Execution(tree, output).template(tree.nodes, values)
}

type Variable = { name: string; value: Value }
type Interruption = 'break' | 'continue' | null

class Execution {
  private readonly tree: Tree
  private readonly output: Output
  private variables: Variable[] = []
  private steps = 0
  private calls = 0

  constructor(tree: Tree, output: Output) {
    this.tree = tree
    this.output = output
  }

  /** Executes a template with its own variables. */
  template(nodes: readonly Node[], dot: Value): void {
    if (++this.calls > MAX_CALLS)
      throw new TemplateError(`templates call each other more than ${MAX_CALLS} deep`)
    const outside = this.variables
    this.variables = [{ name: '$', value: dot }]
    this.walk(nodes, dot)
    this.variables = outside
    this.calls--
  }

  private walk(nodes: readonly Node[], dot: Value): Interruption {
    const outside = this.variables.length
    for (const node of nodes) {
      const interruption = node.type === 'text' ? this.text(node.text) : this.atLine(node, dot)
      if (interruption) {
        this.variables.length = outside
        return interruption
      }
    }
    this.variables.length = outside
    return null
  }

  private text(text: string): null {
    this.step()
    this.output.text(text)
    this.checkSize()
    return null
  }

  /** Executes a node, and puts its line before the message of an error that has none yet. */
  private atLine(node: Exclude<Node, { type: 'text' }>, dot: Value): Interruption {
    try {
      this.step()
      return this.node(node, dot)
    } catch (error) {
      if (!(error instanceof TemplateError) || error.message.startsWith('line ')) throw error
      throw new TemplateError(`line ${node.line}: ${error.message}`)
    }
  }

  private node(node: Exclude<Node, { type: 'text' }>, dot: Value): Interruption {
    switch (node.type) {
      case 'action':
        this.action(node, dot)
        return null
      case 'if':
      case 'with':
        return this.branch(node, dot)
      case 'range':
        return this.range(node, dot)
      case 'template':
        this.template(
          this.tree.defined.get(node.name) ?? [],
          node.pipeline ? this.pipeline(node.pipeline, dot) : undefined,
        )
        return null
      default:
        return node.type
    }
  }

  private action({ pipeline, escaped }: Extract<Node, { type: 'action' }>, dot: Value): void {
    const value = this.pipeline(escaped?.pipeline ?? pipeline, dot)
    if (pipeline.variables.length > 0) return
    this.output.value(value, escaped?.by ?? null)
    this.checkSize()
  }

  private branch(node: Extract<Node, { type: 'if' | 'with' | 'range' }>, dot: Value): Interruption {
    const outside = this.variables.length
    const value = this.pipeline(node.pipeline, dot)
    const interruption = isTrue(value)
      ? this.walk(node.body, node.type === 'with' ? value : dot)
      : this.walk(node.otherwise, dot)
    this.variables.length = outside
    return interruption
  }

  private range(node: Extract<Node, { type: 'if' | 'with' | 'range' }>, dot: Value): Interruption {
    const outside = this.variables.length
    const { variables, isAssignment } = node.pipeline
    const over = this.pipeline({ ...node.pipeline, variables: [] }, dot)
    let isEmpty = true
    if (!Array.isArray(over)) this.charge(over)
    for (const [key, element] of elementsOf(over)) {
      isEmpty = false
      this.step()
      const values = variables.length === 2 ? [key, element] : [element]
      for (const [place, name] of variables.entries()) this.setVariable(name, values[place], isAssignment)
      const interruption = this.walk(node.body, element)
      this.variables.length = outside
      if (interruption === 'break') break
    }
    if (isEmpty) for (const name of variables) this.setVariable(name, over, isAssignment)
    const interruption = isEmpty ? this.walk(node.otherwise, dot) : null
    this.variables.length = outside
    return interruption
  }

  private setVariable(name: string, value: Value, isAssignment: boolean): void {
    if (isAssignment) this.variable(name).value = value
    else this.variables.push({ name, value })
  }

  private variable(name: string): Variable {
    const found = this.variables.findLast((variable) => variable.name === name)
    if (!found) throw new TemplateError(`the variable ${name} has no value here`)
    return found
  }

  private pipeline({ commands, variables, isAssignment }: Pipeline, dot: Value): Value {
    const [first, ...more] = commands
    let value = this.command(first, dot, [])
    for (const command of more) value = this.command(command, dot, [value])
    for (const name of variables) this.setVariable(name, value, isAssignment)
    return value
  }

  /** `piped` is the result of the command before, if there is one: the last argument. */
  private command({ operands: [first, ...args] }: Command, dot: Value, piped: Value[]): Value {
    this.step()
    if (first.type !== 'function') {
      if (args.length + piped.length > 0) throw new TemplateError(`${nameOf(first)} takes no arguments`)
      return this.operand(first, dot)
    }
    if (first.name === 'and' || first.name === 'or') return this.choose(first.name, args, dot, piped)
    return this.call(first.name, [...args.map((argument) => this.operand(argument, dot)), ...piped])
  }

  private call(name: string, args: Value[]): Value {
    for (const value of args) this.charge(value)
    const value = callFunction(name, args)
    if (typeof value === 'string') this.checkSize(value.length)
    this.charge(value)
    return value
  }

  /** The first argument that decides, or the last one; those after it are not evaluated. */
  private choose(name: 'and' | 'or', args: readonly Operand[], dot: Value, piped: Value[]): Value {
    if (args.length + piped.length === 0) throw new TemplateError(`${name} has 0 arguments`)
    let value: Value
    for (const argument of args) {
      value = this.operand(argument, dot)
      if (isTrue(value) === (name === 'or')) return value
    }
    return piped.length > 0 ? piped[0] : value
  }

  private operand(operand: Operand, dot: Value): Value {
    switch (operand.type) {
      case 'dot':
        return dot
      case 'literal':
        return operand.value
      case 'field':
        return operand.fields.reduce(fieldOf, dot)
      case 'variable':
        return operand.fields.reduce(fieldOf, this.variable(operand.name).value)
      case 'parentheses':
        return operand.fields.reduce(fieldOf, this.pipeline(operand.pipeline, dot))
      case 'function':
        this.step()
        return operand.name === 'and' || operand.name === 'or'
          ? this.choose(operand.name, [], dot, [])
          : this.call(operand.name, [])
    }
  }

  /** Counts the work that the size of a value makes: functions look at all of it, and the keys of a map are sorted. */
  private charge(value: Value): void {
    if (typeof value === 'string') this.step(Math.ceil(value.length / CHARACTERS_PER_STEP))
    else if (typeof value === 'object' && value !== null) this.step(Object.keys(value).length)
  }

  private step(count = 1): void {
    this.steps += count
    if (this.steps > MAX_STEPS) throw new TemplateError(`it takes more than ${MAX_STEPS} steps`)
  }

  private checkSize(characters = this.output.length): void {
    if (characters > MAX_CHARACTERS)
      throw new TemplateError(`it writes more than ${MAX_CHARACTERS} characters`)
  }
}

/** Fields of a missing value are missing, too; those of null or of anything but a map are an error. */
function fieldOf(value: Value, field: string): Value {
  if (value === undefined) return undefined
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return memberOf(value, field)
  throw new TemplateError(`a ${typeName(value)} has no field ${field}`)
}

function* elementsOf(value: Value): Iterable<[key: Value, element: Value]> {
  if (value === undefined || value === null) return
  if (typeof value === 'bigint') {
    for (let index = 0n; index < value; index++) yield [index, index]
  } else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) yield [BigInt(index), element]
  } else if (typeof value === 'object') {
    for (const key of sortedKeys(value)) yield [key, memberOf(value, key)]
  } else throw new TemplateError(`range cannot go over a ${typeName(value)}`)
}

function nameOf(operand: Operand): string {
  switch (operand.type) {
    case 'field':
      return `.${operand.fields.join('.')}`
    case 'variable':
      return [operand.name, ...operand.fields].join('.')
    default:
      return 'a value'
  }
}
