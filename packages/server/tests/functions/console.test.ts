// Output of functions: each console call is one log record, in this process and under Deno.
import { describe, expect, it } from 'vitest'
import { host, said, write } from './hosts.ts'

const speech = `
  console.log('one', { deep: { deeper: { deepest: [1, 2] } } })
  console.error('first line\\nsecond line')
  console.error(new Error('what failed'))
  console.warn('%s of %d', 'part', 2)
  console.table([{ a: 1 }, { a: 2 }])
  console.group('inside')
  console.info('indented')
  console.groupEnd()
  console.error(Object.fromEntries(Array.from({ length: 40 }, (_, n) => ['setting' + n, 'x'.repeat(30)])))
  console.debug('y'.repeat(20000))`

write('here/handler.ts', `export default () => { ${speech}\n return new Response('said') }`)
write('there/index.ts', `Deno.serve(() => { ${speech}\n return new Response('said') })`)

describe.each(['here', 'there'])('%s', (name) => {
  it('one call is one record, objects and many lines too', async () => {
    expect((await host()(name)).text).toBe('said')
    await expect.poll(() => said(name).length).toBe(9)
    const [one, lines, error, warning, table, inside, indented, object, long] = said(name) as string[]
    expect(one).toMatch(/^30 one \{\s+deep: \{ deeper: \{ deepest: \[ 1, 2 \] \} \}\s+\}$/)
    expect(lines).toBe('50 first line\nsecond line')
    expect(error).toMatch(/^50 Error: what failed\n\s+at /)
    expect(warning).toBe('40 part of 2')
    expect(table).toMatch(/^30 ┌[\s\S]+┘$/)
    expect([inside, indented?.trimEnd()]).toEqual(['30 inside', expect.stringMatching(/^30 +indented$/)])
    expect(object).toMatch(/^50 \{\n {2}setting0: [\s\S]+\n {2}setting39: [^\n]+\n\}$/)
    expect(long).toBe(`30 ${'y'.repeat(10_000)}…`)
  })
})

it("output that bypasses the console is one record for each piece, and the server's own console is left alone", async () => {
  write(
    'raw/index.ts',
    `Deno.serve(() => {
       Deno.stderr.writeSync(new TextEncoder().encode('error: of its own\\n    at somewhere\\n'))
       return new Response('said')
     })`,
  )
  expect((await host()('raw')).text).toBe('said')
  await expect.poll(() => said('raw')).toEqual(['50 error: of its own\n    at somewhere'])
})

it('output of a function that does not start is reported with the reason', async () => {
  write('fails/index.ts', `console.error('no\\nsettings'); Deno.exit(1)`)
  expect((await host()('fails')).status).toBe(503)
  expect(said('fails')).toEqual(['50 the function does not start: no\nsettings'])
})
