// Limits of a function's Deno process: memory, log, headers, threads.
import { describe, expect, it } from 'vitest'
import { host, said, write } from './hosts.ts'

describe('limits that do not affect other functions', () => {
  it('memory has an end', async () => {
    write(
      'greedy/index.ts',
      `Deno.serve(() => { const all = []; for (;;) all.push(new Array(1e6).fill(Math.random())) })`,
    )
    expect(await host()('greedy')).toMatchObject({ status: 546, code: 'WORKER_RESOURCE_LIMIT' })
  })

  it('memory outside of the heap has an end, too', async () => {
    write(
      'hoards/index.ts',
      `const all: Uint8Array[] = []
       Deno.serve(async () => {
         for (;;) { all.push(new Uint8Array(20e6).fill(1)); await new Promise((resolve) => setTimeout(resolve, 10)) }
       })`,
    )
    expect(await host()('hoards')).toMatchObject({ status: 546, code: 'WORKER_RESOURCE_LIMIT' })
    expect(said('hoards').join()).toMatch(/it uses \d{4} MB of memory/)
  })

  it('printing: long lines are cut, too many left out, and none hides that the process is well', async () => {
    write(
      'prints/index.ts',
      `Deno.serve(async (r) => {
         if (r.url.endsWith('long')) console.log('x'.repeat(20000))
         if (r.url.endsWith('many')) for (let n = 0; n < 5000; n++) console.log('line ' + n)
         if (r.url.endsWith('open')) {
           for (let n = 0; n < 200; n++) Deno.stdout.writeSync(new TextEncoder().encode('y'.repeat(60000)))
           await new Promise((resolve) => setTimeout(resolve, 1500))
         }
         return new Response('printed')
       })`,
    )
    const call = host({ deno: { reactsWithin: 500 } })
    expect((await call('prints?open')).text).toBe('printed')
    expect((await call('prints?long')).text).toBe('printed')
    expect((await call('prints?many')).text).toBe('printed')
    await expect.poll(() => said('prints').length).toBe(1000)
    const [open, ...rest] = said('prints')
    expect(open).toBe(`30 ${'y'.repeat(10_000)}…`)
    expect(rest).toContain(`30 ${'x'.repeat(10_000)}…`)
    expect(rest).toContain('30 line 900')
  })

  it('headers without measure are a failure of that answer alone', async () => {
    write(
      'heads/index.ts',
      `Deno.serve((r) => {
         const headers = new Headers()
         for (let n = 0; n < (r.url.endsWith('many') ? 300 : 30); n++) headers.set('x-' + n, 'v'.repeat(400))
         return new Response('well', { headers })
       })`,
    )
    const call = host()
    expect((await call('heads')).text).toBe('well')
    expect(await call('heads?many')).toMatchObject({ status: 500, code: 'EDGE_FUNCTION_ERROR' })
    expect(said('heads').join()).toContain('cannot be read')
  })

  it('there are no threads', async () => {
    write(
      'threads/index.ts',
      `Deno.serve(() => { try { new Worker('data:,'); return new Response('made') } catch (error) { return new Response(error.message) } })`,
    )
    expect((await host()('threads')).text).toBe('Workers are not available to functions')
  })
})
