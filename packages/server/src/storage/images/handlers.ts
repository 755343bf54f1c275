// Handlers for transformed images: /render/image below the same three ways of reading as /object.
import { StorageError } from '../errors.ts'
import { queryOf } from '../json-body.ts'
import { findAnyObject, findAsCaller, findPublic } from '../objects/rows.ts'
import { downloadOf, objectOf } from '../request.ts'
import type { Handler, StorageService } from '../service.ts'
import { readToken, requireToken } from '../signed-urls/tokens.ts'
import type { CallerContext } from '../transaction.ts'
import { optionsOfText, readOptions } from './options.ts'

export const renderPublic: Handler = async (service, request) => {
  const options = readOptions(queryOf(request))
  const row = await findPublic(service, objectOf(request, '/render/image/public/'))
  return enabled(service).render(request, row, options, { download: downloadOf(request) })
}

export const renderAuthenticated: Handler<CallerContext> = async (service, request, context) => {
  const options = readOptions(queryOf(request))
  const row = await findAsCaller(service, context, objectOf(request, '/render/image/authenticated/'))
  return enabled(service).render(request, row, options, { download: downloadOf(request) })
}

export const renderSigned: Handler = async (service, request) => {
  const target = objectOf(request, '/render/image/sign/')
  const url = `${target.bucket}/${target.name}`
  const { exp, transformations = '' } = await readToken(service.keys, requireToken(request), 'download', url)
  const row = await findAnyObject(service, target)
  // The transformation was fixed when the URL was signed.
  const how = { download: downloadOf(request), expires: new Date(exp * 1000) }
  return enabled(service).render(request, row, optionsOfText(transformations), how)
}

function enabled({ images }: StorageService) {
  if (images) return images
  throw new StorageError(409, 'FeatureNotEnabled', 'The feature image transformation is not enabled')
}
