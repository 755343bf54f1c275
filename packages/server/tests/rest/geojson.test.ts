// GeoJSON, on a PostgreSQL of Debian's that has PostGIS. Without one everything here is skipped, unless
// POSTGIS=required, as in the continuous integration, where that is a failure.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { startDebianPostgres, versionWith } from '../support/debian-postgres.ts'
import type { ExternalPostgres } from '../support/external-postgres.ts'
import { type Fixture, openFixture } from './fixture.ts'

const version = versionWith('postgis')
const required = process.env.POSTGIS === 'required'

describe.skipIf(version === null && !required)('GeoJSON', () => {
  let cluster: ExternalPostgres
  let fixture: Fixture
  // biome-ignore lint/suspicious/noExplicitAny: the tables have no generated types.
  let client: SupabaseClient<any, any, 'api'>
  const workdir = mkdtempSync(join(tmpdir(), 'meadowlark-geo-'))

  beforeAll(async () => {
    if (version === null)
      throw new Error('POSTGIS=required, but no PostgreSQL of Debian with PostGIS is here')
    mkdirSync(join(workdir, 'supabase'))
    writeFileSync(join(workdir, 'supabase', 'config.toml'), 'project_id = "geo"\n')
    cluster = await startDebianPostgres(version)
    fixture = await openFixture({ workdir, env: { DATABASE_URL: cluster.url } })
    await fixture.sql(`
      create extension postgis with schema extensions;
      set search_path = api, extensions;
      create table towns (id int primary key, name text not null);
      create table shops (
        id int primary key, name text, town_id int references towns (id), place geometry(Point, 4326)
      );
      create table regions (id int primary key, center geometry(Point, 4326), outline geometry(Polygon, 4326));
      insert into towns values (1, 'Regina'), (2, 'Nowhere');
      insert into shops values
        (1, 'Bakery', 1, 'SRID=4326;POINT(-104.6 50.45)'), (2, 'Smith', 1, 'SRID=4326;POINT(-104.7 50.5)'),
        (3, 'Lost', null, null);
      insert into regions values
        (1, 'SRID=4326;POINT(1 1)', 'SRID=4326;POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))');
      create view shops_view as select name, place from shops;
      create function shops_of(town int) returns setof shops language sql stable as
        $$ select * from api.shops where town_id = town $$;
      create function a_shop(wanted int) returns shops language sql stable as
        $$ select * from api.shops where id = wanted $$;
      create function middle() returns extensions.geometry language sql stable as
        $$ select extensions.st_setsrid(extensions.st_makepoint(3, 4), 4326) $$;
      create function within(lon float, lat float, meters float) returns setof shops language sql stable as $$
        select * from api.shops
        where extensions.st_dwithin(place::extensions.geography, extensions.st_setsrid(extensions.st_makepoint(lon, lat), 4326), meters)
      $$;
      create domain "application/geo+json" as json;
      create function regions_next(state json, next regions) returns json language sql immutable as
        $$ select json_build_object('own', next.id) $$;
      create function regions_final(state json) returns "application/geo+json" language sql immutable as
        $$ select state::api."application/geo+json" $$;
      create aggregate regions_agg(regions) (stype = json, sfunc = regions_next, finalfunc = regions_final);
      grant select, insert, update, delete on towns, shops, regions, shops_view to anon;
      reset search_path`)
    await fixture.reload()
    client = createClient(fixture.server.url, fixture.server.publishableKey, {
      db: { schema: 'api' },
      auth: { persistSession: false, autoRefreshToken: false },
      realtime: { transport: WebSocket as never },
    })
  })

  afterAll(async () => {
    await fixture?.stop()
    await cluster?.remove()
    rmSync(workdir, { recursive: true, force: true })
  })

  const feature = (properties: object, coordinates: number[]) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates },
    properties,
  })
  const collection = (...features: object[]) => ({ type: 'FeatureCollection', features })
  const bakery = { id: 1, name: 'Bakery', town_id: 1 }
  const smith = { id: 2, name: 'Smith', town_id: 1 }

  test('rows are features of a collection', async () => {
    const all = await client.from('shops').select().lt('id', 3).order('id').geojson()
    expect([all.error, all.data]).toEqual([
      null,
      collection(feature(bakery, [-104.6, 50.45]), feature(smith, [-104.7, 50.5])),
    ])
    // A row without a place is still a feature; the form of its geometry depends on PostGIS's version.
    expect((await client.from('shops').select().eq('id', 3).geojson()).data).toMatchObject({
      features: [{ type: 'Feature', properties: { id: 3, name: 'Lost', town_id: null } }],
    })
    const response = await fixture.askApi('/shops?id=eq.1', { headers: { accept: 'application/geo+json' } })
    expect(response.headers.get('content-type')).toBe('application/geo+json; charset=utf-8')
    expect(response.headers.get('content-range')).toBe('0-0/*')
  })

  test('with select lists, filters, orders, limits and counts', async () => {
    const one = await client.from('shops').select('title:name,place').eq('id', 2).geojson()
    expect(one.data).toEqual(collection(feature({ title: 'Smith' }, [-104.7, 50.5])))
    const last = await client
      .from('shops')
      .select('id,place', { count: 'exact' })
      .not('place', 'is', null)
      .order('id', { ascending: false })
      .limit(1)
      .geojson()
    expect([last.status, last.count, last.data]).toEqual([
      206,
      2,
      collection(feature({ id: 2 }, [-104.7, 50.5])),
    ])
    expect((await client.from('shops').select().eq('id', 99).geojson()).data).toEqual(collection())
    expect((await client.from('shops_view').select().eq('name', 'Bakery').geojson()).data).toEqual(
      collection(feature({ name: 'Bakery' }, [-104.6, 50.45])),
    )
  })

  test('wherever PostGIS is, on the search path or not', async () => {
    await fixture.configure({ db_extra_search_path: '' })
    const one = await client.from('shops').select('id,place').eq('id', 1).geojson()
    expect([one.error, one.data]).toEqual([null, collection(feature({ id: 1 }, [-104.6, 50.45]))])
    await fixture.configure({ db_extra_search_path: null })
  })

  test('with embeds, and as an embed', async () => {
    const shops = await client.from('shops').select('id,place,towns(name)').eq('id', 1).geojson()
    expect(shops.data).toEqual(collection(feature({ id: 1, towns: { name: 'Regina' } }, [-104.6, 50.45])))
    const spread = await client
      .from('shops')
      .select('id,place,...towns!inner(town:name)')
      .eq('id', 1)
      .geojson()
    expect(spread.data).toEqual(collection(feature({ id: 1, town: 'Regina' }, [-104.6, 50.45])))
    const towns = await client.from('towns').select('name,shops(id,place)').eq('shops.id', 1).order('id')
    const crs = { type: 'name', properties: { name: 'EPSG:4326' } }
    expect(towns.data).toEqual([
      { name: 'Regina', shops: [{ id: 1, place: { type: 'Point', crs, coordinates: [-104.6, 50.45] } }] },
      { name: 'Nowhere', shops: [] },
    ])
  })

  test('one of several geometries is chosen by the select list', async () => {
    const center = await client.from('regions').select('id,center').geojson()
    expect(center.data).toEqual(collection(feature({ id: 1 }, [1, 1])))
    const outline = await client.from('regions').select('id,outline').geojson()
    expect(outline.data).toMatchObject({
      features: [{ geometry: { type: 'Polygon' }, properties: { id: 1 } }],
    })
  })

  test('of functions: rows, one row, one geometry', async () => {
    const rows = await client.rpc('shops_of', { town: 1 }).order('id').limit(1).geojson()
    expect([rows.error, rows.data]).toEqual([null, collection(feature(bakery, [-104.6, 50.45]))])
    expect((await client.rpc('a_shop', { wanted: 2 }).geojson()).data).toEqual(
      collection(feature(smith, [-104.7, 50.5])),
    )
    expect((await client.rpc('middle').geojson()).data).toEqual(collection(feature({}, [3, 4])))
    const near = { lon: -104.6, lat: 50.45, meters: 100 }
    expect((await client.rpc('within', near, { get: true }).select('id,place').geojson()).data).toEqual(
      collection(feature({ id: 1 }, [-104.6, 50.45])),
    )
  })

  test('of what was written, from text and from GeoJSON', async () => {
    const text = { id: 10, name: 'New', place: 'SRID=4326;POINT(5 6)' }
    const inserted = await client.from('shops').insert(text).select('id,place').geojson()
    expect([inserted.status, inserted.data]).toEqual([201, collection(feature({ id: 10 }, [5, 6]))])
    const point = { place: { type: 'Point', coordinates: [7, 8] } }
    const updated = await client.from('shops').update(point).eq('id', 10).select('id,place').geojson()
    expect([updated.error, updated.data]).toEqual([null, collection(feature({ id: 10 }, [7, 8]))])
    const deleted = await client.from('shops').delete().eq('id', 10).select('name,place').geojson()
    expect(deleted.data).toEqual(collection(feature({ name: 'New' }, [7, 8])))
  })

  test('explained, and made by a custom aggregate', async () => {
    await fixture.configure({ db_plan_enabled: 'true' })
    const plan = 'application/vnd.pgrst.plan+json; for="application/geo+json"'
    const explained = await fixture.askApi('/shops', { headers: { accept: plan } })
    expect([explained.status, JSON.parse(await explained.text())[0].Plan['Node Type']]).toEqual([
      200,
      'Aggregate',
    ])
    expect((await client.from('regions').select().geojson()).data).toEqual({ own: 1 })
  })

  const isRefusal = (status: number) => status >= 400 && status < 500

  test('rows without geometry are refused, and nothing is answered with a 5xx', async () => {
    const none = await client.from('towns').select().geojson()
    expect([none.status, none.error]).toMatchObject([
      400,
      { code: '22023', message: 'geometry column is missing' },
    ])
    const geojson = { headers: { accept: 'application/geo+json' } }
    for (const path of [
      '/shops?select=id',
      '/rpc/add?a=1&b=2',
      '/shops?place=eq.nonsense',
      '/shops?place=st_within.x',
      '/shops?place=cs.%7B1%7D',
      '/rpc/middle?select=x',
      '/shops?select=place->x',
      '/shops?select=place::json',
      '/shops?select=count()',
    ]) {
      expect([path, (await fixture.askApi(path, geojson)).status]).toEqual([
        path,
        expect.toSatisfy(isRefusal),
      ])
    }
    for (const place of [
      'nonsense',
      {},
      { type: 'Point' },
      'POLYGON((0 0,1 1))',
      'POLYGON((0 0,1 1,1 0,0 0))',
      5,
    ]) {
      const { status, error } = await client.from('shops').insert({ id: 99, place })
      expect([place, status, error]).toEqual([place, 400, expect.anything()])
    }
    expect((await fixture.askApi('/shops?place=ov.SRID=4326;POINT(5 6)', geojson)).status).toBe(200)
    expect((await fixture.askApi('/rpc/nothing', { ...geojson, method: 'POST' })).status).toBe(204)
  })
})
