// The life of a function's Deno process: what it may touch, how it ends by itself or is ended, what follows, and that
// none outlives the server.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { host, hosts, root, said, write } from '../../../packages/server/tests/functions/hosts.ts'
import { repositoryFile } from '../../../plugins/repository.ts'

describe('permissions', () => {
  it('the network and its own folder; not the keys, no programs, nothing of the machine', async () => {
    write(
      'curious/index.ts',
      `const tries: Record<string, () => unknown> = {
         own: () => Deno.readTextFileSync(new URL('./note.txt', import.meta.url)),
         keys: () => Deno.readTextFileSync(${JSON.stringify(path.join(root, 'secret/keys.json'))}),
         passwd: () => Deno.readTextFileSync('/etc/hostname'),
         write: () => Deno.writeTextFileSync('/var/made.txt', 'x'),
         temporary: () => Deno.removeSync(Deno.makeTempFileSync()),
         run: () => new Deno.Command(Deno.execPath()).outputSync(),
         socket: () => Deno.connect({ transport: 'unix', path: ${JSON.stringify(path.join(root, 'secret/s'))} }),
       }
       Deno.serve(async () => {
         const seen: Record<string, string> = {}
         for (const [name, attempt] of Object.entries(tries)) {
           try { await attempt(); seen[name] = 'yes' } catch (error) { seen[name] = error.name }
         }
         return Response.json(seen)
       })`,
    )
    write('curious/note.txt', 'mine')
    expect(JSON.parse((await host()('curious')).text)).toEqual({
      own: 'yes',
      keys: 'NotCapable',
      passwd: 'NotCapable',
      write: 'NotCapable',
      temporary: 'yes',
      run: 'NotCapable',
      socket: 'NotCapable',
    })
  })
})

describe('failures', () => {
  it.each([
    ['syntax', `Deno.serve((`, /SyntaxError|Expression expected|Unexpected/],
    [
      'https',
      `import 'https://127.0.0.1:9/lib.ts'; Deno.serve(() => new Response())`,
      /https:\/\/127\.0\.0\.1:9\/lib\.ts/,
    ],
    ['bare', `import 'not-mapped'; Deno.serve(() => new Response())`, /not-mapped/],
    ['top', `throw new Error('at the top')`, /at the top/],
  ])('%s: 503, and the log says why', async (name, source, why) => {
    write(`boot-${name}/index.ts`, source)
    expect(await host()(`boot-${name}`)).toMatchObject({ status: 503, code: 'BOOT_ERROR' })
    expect(said(`boot-${name}`).join('\n')).toMatch(why)
  })

  it('is found by the next request once it is mended', async () => {
    const call = host({ reload: true })
    write('mended/index.ts', `Deno.serve((`)
    expect((await call('mended')).status).toBe(503)
    write('mended/index.ts', `Deno.serve(() => new Response('well'))`)
    expect((await call('mended')).text).toBe('well')
  })

  it('an error in a request is a 500 of that request alone', async () => {
    write(
      'throws/index.ts',
      `Deno.serve((r) => { if (r.url.endsWith('bad')) throw new Error('no'); return new Response('good') })`,
    )
    const call = host()
    expect(await call('throws?bad')).toMatchObject({
      status: 500,
      code: 'EDGE_FUNCTION_ERROR',
      text: 'Internal Server Error',
    })
    expect((await call('throws')).text).toBe('good')
    expect(said('throws').join()).toContain('Error: no')
  })

  it('a crash answers what it worked on, and the next request finds a new process', async () => {
    write(
      'crashes/index.ts',
      `const born = crypto.randomUUID()
       console.log('hello from inside')
       Deno.serve(async (r) => {
         if (r.url.endsWith('crash')) { setTimeout(() => { throw new Error('boom') }); await new Promise(() => {}) }
         return new Response(born)
       })`,
    )
    const call = host()
    const { text: first } = await call('crashes')
    const both = await Promise.all([call('crashes?crash'), call('crashes?crash')])
    expect(both).toMatchObject([
      { status: 500, code: 'WORKER_ERROR' },
      { status: 500, code: 'WORKER_ERROR' },
    ])
    const { text: second } = await call('crashes')
    expect(second).toHaveLength(36)
    expect(second).not.toBe(first)
    expect(said('crashes')).toContain('30 hello from inside')
    expect(said('crashes').join('\n')).toMatch(/50 .*boom/)
  })

  it('a request without an answer gets 504; one that loops is ended with 546, and the next works', async () => {
    write(
      'stuck/index.ts',
      `Deno.serve(async (r) => {
         if (r.url.endsWith('loop')) { console.log('loops'); for (;;); }
         if (r.url.endsWith('wait')) await new Promise(() => {})
         return new Response('free')
       })`,
    )
    const call = host({ timeout: 10_000, deno: { reactsWithin: 1000 } })
    expect((await call('stuck')).text).toBe('free')
    const looping = call('stuck?loop')
    await expect.poll(() => said('stuck').join(), { interval: 5 }).toContain('loops')
    const [loop, other] = await Promise.all([looping, call('stuck')])
    expect(loop).toMatchObject({ status: 546, code: 'WORKER_RESOURCE_LIMIT' })
    expect(other.status).toBe(546)
    expect((await call('stuck')).text).toBe('free')
    const quick = host({ timeout: 3000 })
    expect(await quick('stuck?wait')).toMatchObject({ status: 504, code: 'IDLE_TIMEOUT' })
    expect((await quick('stuck')).text).toBe('free')
  })

  it('takes its time, with as many requests as there are, while it reacts', async () => {
    write(
      'patient/index.ts',
      `Deno.serve(async () => { await new Promise((resolve) => setTimeout(resolve, 2500)); return new Response('done') })`,
    )
    const call = host({ deno: { reactsWithin: 1000 } })
    const answers = await Promise.all(Array.from({ length: 10 }, () => call('patient')))
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['done']))
  })
})

describe('coming and going', () => {
  it('runs the new source after a change, of a file it imports too', async () => {
    write('_shared/word.ts', `export const word = 'one'`)
    write(
      'changing/index.ts',
      `import { word } from '../_shared/word.ts'; Deno.serve(() => new Response(word))`,
    )
    const call = host({ reload: true })
    expect((await call('changing')).text).toBe('one')
    write('_shared/word.ts', `export const word = 'two'`)
    expect((await call('changing')).text).toBe('two')
  })

  it('ends an idle process, after its background work', async () => {
    write(
      'idle/index.ts',
      `addEventListener('beforeunload', () => console.log('leaving ' + Deno.pid))
       Deno.serve(() => {
         EdgeRuntime.waitUntil(new Promise((resolve) => setTimeout(() => { console.log('finished ' + Deno.pid); resolve(0) }, 400)))
         return new Response(String(Deno.pid))
       })`,
    )
    const call = host({ deno: { idleAfter: 100 } })
    const { text: pid } = await call('idle')
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
    // Its last output may still be on its way when it has ended.
    await expect.poll(() => said('idle')).toEqual([`30 leaving ${pid}`, `30 finished ${pid}`])
    expect((await call('idle')).text).not.toBe(pid)
  })

  it('keeps only so many warm: the one idle longest makes room', async () => {
    for (const name of ['warm-a', 'warm-b', 'warm-c']) {
      write(`${name}/index.ts`, `Deno.serve(() => new Response(String(Deno.pid)))`)
    }
    const call = host({ deno: { mostWarm: 2 } })
    const { text: a } = await call('warm-a')
    const { text: b } = await call('warm-b')
    expect((await call('warm-a')).text).toBe(a)
    await call('warm-c')
    await expect.poll(() => existsSync(`/proc/${b}`)).toBe(false)
    expect((await call('warm-a')).text).toBe(a)
  })

  it('a Deno that does not start is a function that does not', async () => {
    write('lonely/index.ts', `Deno.serve(() => new Response())`)
    expect(await host({ deno: { path: '/nowhere/deno' } })('lonely')).toMatchObject({
      status: 503,
      code: 'BOOT_ERROR',
    })
  })
})

describe('the end of the server', () => {
  it('takes its processes with it', async () => {
    write('orphan/index.ts', `Deno.serve(() => new Response(String(Deno.pid)))`)
    const { text: pid } = await host()('orphan')
    expect(existsSync(`/proc/${pid}`)).toBe(true)
    await hosts.at(-1)?.stop()
    expect(existsSync(`/proc/${pid}`)).toBe(false)
  })

  it('even when it is killed, and even when the function loops', async () => {
    write('loops/index.ts', `Deno.serve(() => new Response()); setTimeout(() => { for (;;); }, 50)`)
    const script = path.join(root, 'server.mjs')
    await build({
      stdin: {
        contents: `import { findDeno } from './binary.ts'
          import { startDeno } from './process.ts'
          await startDeno({
            program: findDeno({ path: null, searchPath: '' }, ${JSON.stringify(repositoryFile('supabase'))}),
            preload: ${JSON.stringify(repositoryFile('packages/server/src/functions/deno/preload.mjs'))},
            source: { kind: 'deno', name: 'loops', entrypoint: ${JSON.stringify(path.join(root, 'functions/loops/index.ts'))}, packageJson: false, staticFiles: [] },
            project: ${JSON.stringify(root)}, sockets: ${JSON.stringify(root)},
            environment: {}, here: { origin: 'http://127.0.0.1:1' }, network: {}, cacheDir: null, buildDir: ${JSON.stringify(root)}, closed: [], timeoutMs: 10000, onLine() {},
          })
          console.log('started')`,
        resolveDir: repositoryFile('packages/server/src/functions/deno'),
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      outfile: script,
    })
    const server = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
    await new Promise((resolve) => server.stdout.once('data', resolve))
    const [pid] = childrenOf(server.pid as number)
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain('loops/index.ts')
    // Hundredths of a second that it has worked by itself: it loops.
    const worked = () => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[11])
    const before = worked()
    await expect.poll(worked).toBeGreaterThan(before + 10)
    server.kill('SIGKILL')
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
  })
})

function childrenOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
}
