// Pictures made to measure: /render/image below the same three ways of reading as /object.
import { Hono } from 'hono'
import { requireToken } from '../download/routes.ts'
import { StorageError } from '../errors.ts'
import { findAnyObject, findAsCaller, findPublic } from '../objects/rows.ts'
import { contextOf, objectOf, requireCaller } from '../request.ts'
import type { StorageService } from '../service.ts'
import { readToken } from '../signed-urls/tokens.ts'
import type { Images } from './images.ts'
import { optionsOfText, readOptions } from './options.ts'

/** GET and HEAD below /render/image; `images` is null where config.toml turns transformations off. */
export function renderRoutes(service: StorageService, images: Images | null): Hono {
  const app = new Hono()
  const enabled = () => {
    if (images) return images
    throw new StorageError(409, 'FeatureNotEnabled', 'The feature image transformation is not enabled')
  }

  app.get('/render/image/public/*', async (c) => {
    const options = readOptions(c.req.query())
    const row = await findPublic(service, objectOf(c, '/render/image/public/'))
    return enabled().render(c.req.raw, row, options, { download: c.req.query('download') })
  })

  app.get('/render/image/authenticated/*', async (c) => {
    const context = contextOf(c, requireCaller(c), 'render.image_authenticated')
    const options = readOptions(c.req.query())
    const row = await findAsCaller(service, context, objectOf(c, '/render/image/authenticated/'))
    return enabled().render(c.req.raw, row, options, { download: c.req.query('download') })
  })

  app.get('/render/image/sign/*', async (c) => {
    const target = objectOf(c, '/render/image/sign/')
    const url = `${target.bucket}/${target.name}`
    const { exp, transformations = '' } = await readToken(service.keys, requireToken(c), 'download', url)
    const row = await findAnyObject(service, target)
    // What is shown was fixed when the address was signed.
    return enabled().render(c.req.raw, row, optionsOfText(transformations), {
      download: c.req.query('download'),
      expires: new Date(exp * 1000),
    })
  })
  return app
}
