// Blocks that are a file or a part of one: each is read by the program that reads the file, where that is here.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { expect } from 'vitest'
import { loadConfig } from '../../../plugins/index.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import { type Installation, isInstalled, writeBelow } from './installation.ts'
import type { Block } from './pages.ts'

type Check = (text: string, folder: string) => void

const CHECKS: Record<string, Check> = {
  json: (text) => void JSON.parse(text),
  toml: checkSettings,
  ini: checkLines,
  yaml: (text, folder) => (text.startsWith('services:') ? checkCompose(text) : checkPrometheus(text, folder)),
  nginx: checkNginx,
}
export const LANGUAGES_OF_FILES = Object.keys(CHECKS)

/** Fails unless the block, with values in the place of its placeholders, is such a file. */
export function checkFile({ language, text }: Block, installation: Installation): void {
  const folder = mkdtempSync(join(tmpdir(), 'documented-file-'))
  try {
    CHECKS[language]?.(installation.filled(text), folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Settings of one installation: they are merged over config.toml, and none is without effect. */
function checkSettings(text: string, folder: string): void {
  for (const name of readdirSync(repositoryFile('supabase')))
    if (!name.startsWith('config.local'))
      writeLink(repositoryFile(`supabase/${name}`), join(folder, 'supabase'), name)
  writeBelow(folder, 'supabase/config.local.toml', text)
  const names = [...text.matchAll(/env\((\w+)\)/g)].map(([, name]) => name as string)
  const env = Object.fromEntries(names.map((name) => [name, name === 'SAML_PRIVATE_KEY' ? samlKey() : 'x']))
  const config = loadConfig({ workdir: folder, production: false, env })
  const tables = Object.keys(parse(text))
  expect(config.warnings.filter((line) => tables.some((table) => line.includes(table)))).toEqual([])
}

function writeLink(target: string, folder: string, name: string): void {
  writeBelow(folder, '.keep', '')
  symlinkSync(target, join(folder, name))
}

let key = ''
/** As the page makes it. */
function samlKey(): string {
  key ||= execFileSync(
    'sh',
    ['-c', 'openssl genrsa -traditional 2048 | openssl rsa -traditional -outform der | base64 -w0'],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  return key
}

/** An environment file, whose variables something reads; or another file of lines with a name and a value. */
function checkLines(text: string): void {
  const lines = text.split('\n').filter((line) => line.trim() && !/^[#;]/.test(line))
  expect(lines.filter((line) => !/^(\[[\w:]+\]|[\w-]+ *[=:].*)$/.test(line))).toEqual([])
  if (!lines.every((line) => /^[A-Z][A-Z0-9_]*=/.test(line))) return
  const readers = [
    'packages/server/src/config',
    'packages/stripe-sandbox/src',
    'plugins',
    'deploy',
    'supabase/functions/_shared',
  ]
    .flatMap((folder) => readdirSync(repositoryFile(folder)).map((name) => `${folder}/${name}`))
    .filter((path) => /\.(ts|yaml)$/.test(path))
    .map((path) => readFileSync(repositoryFile(path), 'utf8'))
    .join('\n')
  // OpenTelemetry's own packages read theirs.
  const names = lines.map((line) => line.split('=')[0] as string).filter((name) => !name.startsWith('OTEL_'))
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(readers))).toEqual([])
}

/** Prometheus' own configuration, next to the alert rules that it names. */
function checkPrometheus(text: string, folder: string): void {
  expect(text).toMatch(/^(rule_files|scrape_configs):/m)
  if (!isInstalled('promtool')) return
  copyFileSync(repositoryFile('deploy/alerts.yml'), join(folder, 'alerts.yml'))
  writeBelow(folder, 'token', 'a-token-of-the-metrics')
  writeBelow(folder, 'prometheus.yml', text.replace(/\/etc\/[\w/-]+token/, join(folder, 'token')))
  execFileSync('promtool', ['check', 'config', join(folder, 'prometheus.yml')], { stdio: 'pipe' })
}

/** A block to add to the compose file names services that the file has, indented by two spaces. */
function checkCompose(text: string): void {
  const compose = readFileSync(repositoryFile('deploy/compose.yaml'), 'utf8')
  const services = [...text.matchAll(/^ {2}([\w-]+):$/gm)].map(([line]) => line)
  expect(services.filter((line) => !compose.includes(`\n${line}\n`))).toEqual([])
}

/** A part of nginx's configuration, within `http`. */
function checkNginx(text: string, folder: string): void {
  expect(text.split('{').length).toBe(text.split('}').length)
  if (!isInstalled('nginx')) return
  writeBelow(folder, 'nginx.conf', `pid ${folder}/nginx.pid;\nevents {}\nhttp {\n${text}\n}\n`)
  execFileSync('nginx', ['-t', '-c', join(folder, 'nginx.conf')], { stdio: 'pipe' })
}
