// Finds files that import themselves by way of others, for tests/architecture.test.ts.

/** Each group of files that import each other, by Tarjan's algorithm for strongly connected components. */
export function importCircles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = []
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const visit = (path: string) => {
    order.set(path, order.size)
    lowest.set(path, order.size - 1)
    stack.push(path)
    const reach = (number = Number.POSITIVE_INFINITY) =>
      lowest.set(path, Math.min(lowest.get(path) ?? number, number))
    for (const target of graph.get(path) ?? []) {
      if (!graph.has(target)) continue
      if (!order.has(target)) {
        visit(target)
        reach(lowest.get(target))
      } else if (stack.includes(target)) reach(order.get(target))
    }
    if (lowest.get(path) !== order.get(path)) return
    const circle = stack.splice(stack.indexOf(path))
    if (circle.length > 1) circles.push(circle.sort().join(' ↔ '))
  }
  for (const path of graph.keys()) if (!order.has(path)) visit(path)
  return circles.sort()
}
