// Reads the steps of a composed trigger function: its calls in order, each with the conditions around it.

const TOKEN = new RegExp(
  [
    String.raw`\bend if\b`,
    String.raw`\bif\s+(?<condition>[\s\S]*?)\s+then\b`,
    String.raw`\belsif\s+(?<alternative>[\s\S]*?)\s+then\b`,
    String.raw`\belse\b`,
    String.raw`\b(?:perform|new :=)\s+(?<called>private\.\w+)\((?<given>[\s\S]*?)\);`,
  ].join('|'),
  'g',
)

/**
 * `body` (PL/pgSQL that consists of calls of private functions in `if` blocks) as its steps. A step has the function
 * called, the error codes and fields of a rule (private.require and private.allow), and the conditions under which it
 * runs.
 */
export function stepsOf(body) {
  const around = []
  const steps = []
  for (const { 0: token, groups } of body.replace(/--.*$/gm, '').matchAll(TOKEN)) {
    if (token === 'end if') around.pop()
    else if (token === 'else') around.push(`not (${around.pop()})`)
    else if (groups.condition) around.push(groups.condition)
    else if (groups.alternative) around.splice(-1, 1, groups.alternative)
    else steps.push({ called: groups.called, ...ruleOf(groups), conditions: [...around] })
  }
  return steps
}

/** The codes and the field of a rule; both empty for other calls. */
function ruleOf({ called, given }) {
  if (!/\.(require|allow)$/.test(called)) return { codes: [], fields: [] }
  const words = [...given.matchAll(/'(\w+(?:\.\w+)?)'/g)].map(([, word]) => word)
  const codes = words.filter((word) => /^[a-z_]+\.[a-z0-9_]+$/.test(word))
  const fields = words.slice(words.lastIndexOf(codes.at(-1)) + 1)
  return { codes, fields: called.endsWith('require') ? fields.slice(0, 1) : [] }
}
