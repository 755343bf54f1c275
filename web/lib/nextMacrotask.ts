/** Lets the browser answer what was done meanwhile, and paint, before the work goes on. */
export const nextMacrotask = () => new Promise<void>((resolve) => setTimeout(resolve))
