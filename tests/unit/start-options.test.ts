// Options of Node with which the server starts: the same wherever it does (docs/decisions/0056).
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { repositoryFile } from '../../plugins/repository.ts'

const read = (path: string) => readFileSync(repositoryFile(path), 'utf8')
const optionsOf = (command: string | undefined) => command?.match(/--[a-z0-9-]+=\d+/g)

it('are the same for npm, systemd and the image', () => {
  const [npm] = /"start": .*/.exec(read('package.json')) ?? []
  const [systemd] = /^ExecStart=.*/m.exec(read('deploy/meadowlark.service')) ?? []
  const [image] = /^CMD \["node".*/m.exec(read('deploy/Dockerfile')) ?? []
  expect(optionsOf(npm)).toHaveLength(2)
  expect(optionsOf(systemd)).toEqual(optionsOf(npm))
  expect(optionsOf(image)).toEqual(optionsOf(npm))
})
