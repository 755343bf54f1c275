// The nginx of this machine with a site as npm run static writes it.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './process.ts'

const NGINX = '/usr/sbin/nginx'
export const hasNginx = existsSync(NGINX)

/**
 * Serves the site of the file `site` at `port` of this machine, with its files of process in `directory`; `functions`, a host
 * with its port, answers for the project's. Throws with what nginx says when it does not start.
 */
export async function startNginx({
  directory,
  site,
  port,
  functions = '127.0.0.1:9',
}: {
  directory: string
  site: string
  port: number
  functions?: string
}): Promise<{ url: string; stop: () => Promise<unknown> }> {
  const listening = readFileSync(site, 'utf8')
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace(/server [\w.-]+:\d+;/, `server ${functions};`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join(' ')
  const main = join(directory, 'main.conf')
  const errors = join(directory, 'errors')
  writeFileSync(
    main,
    `daemon off; master_process off; pid ${directory}/pid; error_log ${errors}; events {}
     http { access_log off; ${temporary} ${listening} }`,
  )
  const nginx = spawn(NGINX, ['-p', directory, '-e', errors, '-c', main], { stdio: 'ignore' })
  const ended = new Promise((resolve) => nginx.once('exit', resolve))
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => {
    if (nginx.exitCode !== null) throw new Error(readFileSync(errors, 'utf8'))
    return fetch(url).then(
      (response) => response.ok,
      () => false,
    )
  })
  return {
    url,
    stop: () => {
      nginx.kill()
      return ended
    },
  }
}
