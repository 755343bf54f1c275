// The route tables of storage: each path, and whether it takes a caller (`withCaller`: an API key or a token), the service
// itself (`withService`), may have a caller (`withOrWithout`), or is open to everyone.
import { type Answer, empty, json, text } from '../http/answer.ts'
import { BodyRefused } from '../http/body-refused.ts'
import { drain } from '../http/drain-body.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { Route, Handler as RouteHandler, Service } from '../http/route.ts'
import * as buckets from './buckets/handlers.ts'
import * as download from './download/handlers.ts'
import { accessDenied, storageErrorOf } from './errors.ts'
import * as images from './images/handlers.ts'
import { MAX_JSON_BYTES } from './json-body.ts'
import * as objects from './objects/handlers.ts'
import { listObjects, listObjectsByCursor } from './objects/list.ts'
import { callerOrNull, contextOf } from './request.ts'
import * as resumable from './resumable/handlers.ts'
import { EXPOSED_HEADERS, VERSION } from './resumable/protocol.ts'
import type { Handler, StorageService } from './service.ts'
import * as signing from './signed-urls/handlers.ts'
import type { CallerContext, KnownCaller } from './transaction.ts'
import { analyticsBuckets, icebergCatalog, s3Protocol, vectorBuckets } from './unsupported.ts'

/** Operations as policies see them. */
const GET_INFO = 'object.info_authenticated'
const GET_OBJECT = 'object.get_authenticated'
const RENDER = 'render.image_authenticated'

/** /storage/v1, and below it the resumable uploads, whose errors are plain text. */
export function storageTables(service: StorageService): Service[] {
  return [
    { name: 'storage', routes: routes(service), errorAnswer, failure },
    {
      name: 'storage',
      mount: '/storage/v1/upload/resumable',
      routes: resumableRoutes(service),
      headers: {
        'tus-resumable': VERSION,
        'cache-control': 'no-store',
        'access-control-expose-headers': EXPOSED_HEADERS,
      },
      errorAnswer(error) {
        const known = storageErrorOf(error)
        return known && text(known.message, known.statusCode, known.headers())
      },
      failure: () => text('Internal Server Error', 500),
    },
  ]
}

function routes(service: StorageService): Route[] {
  type Guarded = Pick<Route, 'access' | 'handler'>
  /** Needs a key or a token; policies see the operation. */
  const withCaller = (operation: string, handler: Handler<KnownCaller>): Guarded => ({
    access: 'caller',
    handler: (request) => handler(service, request, contextOf(request, request.caller, operation)),
  })
  /** Needs the secret key, or a token of service_role. */
  const withService = (operation: string, handler: Handler<KnownCaller>): Guarded =>
    withCaller(operation, (owner, request, context) => {
      if (context.caller.role !== 'service_role') throw accessDenied('Access denied')
      return handler(owner, request, context)
    })
  /** Works without a key, too; the handler decides what may be seen then. */
  const withOrWithout = (operation: string, handler: Handler<CallerContext>): Guarded => ({
    access: 'public',
    handler: (request) => handler(service, request, contextOf(request, callerOrNull(request), operation)),
  })
  /** For everyone, or for whoever has a signed URL. */
  const open = (handler: Handler): Guarded => ({
    access: 'public',
    handler: (request) => handler(service, request, null),
  })
  /** GET without a body, any other method with JSON. */
  const route = (method: string, path: string, guarded: Guarded): Route => {
    return { method, path, ...guarded, ...(method !== 'GET' && { body: MAX_JSON_BYTES }) }
  }
  const upload = (method: string, path: string, { access, handler }: Guarded): Route => {
    return { method, path, access, body: 'stream', handler: drained(handler) }
  }
  const all = (path: string, handler: RouteHandler): Route => {
    return { method: '*', path, access: 'public', body: 'stream', handler }
  }
  return [
    route('GET', '/status', { access: 'public', handler: () => empty(200) }),
    all('/vector/*', vectorBuckets),
    all('/iceberg/v1/*', icebergCatalog),
    all('/iceberg/*', analyticsBuckets),
    all('/s3/*', s3Protocol),

    route('GET', '/bucket', withCaller('bucket.list', buckets.list)),
    route('POST', '/bucket', withCaller('bucket.create', buckets.create)),
    route('GET', '/bucket/:id', withCaller('bucket.get', buckets.get)),
    route('PUT', '/bucket/:id', withCaller('bucket.update', buckets.update)),
    route('POST', '/bucket/:id/empty', withCaller('bucket.empty', buckets.empty)),
    route('DELETE', '/bucket/:id', withCaller('bucket.delete', buckets.remove)),
    route('DELETE', '/cdn/:id', withService('bucket.purge', buckets.purgeBucket)),
    route('DELETE', '/cdn/:id/*', withService('object.purge', buckets.purgeObject)),

    route('POST', '/object/list/*', withCaller('object.list', listObjects)),
    route('POST', '/object/list-v2/*', withCaller('object.list_v2', listObjectsByCursor)),

    route('POST', '/object/upload/sign/*', withCaller('object.sign_upload_url', signing.signUpload)),
    route('POST', '/object/sign/:bucket', withCaller('object.sign_many', signing.signDownloads)),
    route('POST', '/object/sign/:bucket/*', withCaller('object.sign', signing.signDownload)),

    route('GET', '/render/image/public/*', open(images.renderPublic)),
    route('GET', '/render/image/authenticated/*', withCaller(RENDER, images.renderAuthenticated)),
    route('GET', '/render/image/sign/*', open(images.renderSigned)),

    route('GET', '/object/info/public/*', open(download.publicInfo)),
    route('GET', '/object/info/authenticated/*', withCaller(GET_INFO, download.authenticatedInfo)),
    route('GET', '/object/info/*', withOrWithout(GET_INFO, download.objectInfo)),
    route('GET', '/object/public/*', open(download.downloadPublic)),
    route('GET', '/object/authenticated/*', withCaller(GET_OBJECT, download.downloadAuthenticated)),
    route('GET', '/object/sign/*', open(download.downloadSigned)),
    route('GET', '/object/:bucket/*', withOrWithout(GET_OBJECT, download.downloadObject)),

    route('POST', '/object/move', withCaller('object.move', objects.moveObject)),
    route('POST', '/object/copy', withCaller('object.copy', objects.copyObject)),
    upload('PUT', '/object/upload/sign/*', open(objects.uploadToSignedUrl)),
    upload('POST', '/object/:bucket/*', withCaller('object.upload', objects.uploadObject)),
    upload('PUT', '/object/:bucket/*', withCaller('object.upload_update', objects.replaceObject)),
    route('DELETE', '/object/:bucket', withCaller('object.delete_many', objects.deleteObjects)),
    route('DELETE', '/object/:bucket/*', withCaller('object.delete', objects.deleteObject)),

    all('/*', notFound),
  ]
}

/** tus 1.0.0: below /upload/resumable with a key or token, below /upload/resumable/sign with a signed upload's token. */
function resumableRoutes(service: StorageService): Route[] {
  const route = (
    method: Route['method'],
    path: string,
    access: Route['access'],
    handler: (service: StorageService, request: RequestContext, signed: boolean) => Answer | Promise<Answer>,
  ): Route => ({
    method,
    path,
    access,
    body: 'stream',
    handler: (request) => handler(service, request, path.startsWith('/sign')),
  })
  const CHANGE = ['HEAD', 'PATCH', 'DELETE', 'POST']
  return [
    ...['', '/'].map((path) => route('POST', path, 'caller', resumable.create)),
    ...['/sign', '/sign/'].map((path) => route('POST', path, 'public', resumable.create)),
    route(CHANGE, '/sign/:id', 'public', resumable.change),
    route(CHANGE, '/:id', 'caller', resumable.change),
    ...['/sign/:id', '/:id'].map((path) => route('GET', path, 'public', resumable.methodNotAllowed)),
    ...['', '/', '/:id', '/sign/', '/sign/:id'].map((path) =>
      route('OPTIONS', path, 'public', resumable.options),
    ),
    route('*', '/*', 'public', (_, request) => notFound(request)),
  ]
}

/** The handler, which answers an error only after the body was read. */
function drained(handler: RouteHandler): RouteHandler {
  return async (request) => {
    try {
      return await handler(request)
    } catch (error) {
      await drain(request.incoming)
      throw error
    }
  }
}

function notFound({ method, incoming }: RequestContext): Answer {
  const path = incoming.url?.replace(/^\/storage\/v1/, '').replace(/\?.*$/, '')
  return json({ statusCode: '404', error: 'Not Found', message: `Route ${method}:${path} not found` }, 404)
}

function errorAnswer(error: unknown): Answer | null {
  const known = storageErrorOf(error)
  // Bodies that are not read keep their HTTP status; every other client error is answered with 400.
  const status = error instanceof BodyRefused ? error.status : known?.httpStatus
  return known && json(known.body(), status, known.headers())
}

function failure(): Answer {
  return json({ statusCode: '500', error: 'Internal', message: 'Internal Server Error' }, 500)
}
