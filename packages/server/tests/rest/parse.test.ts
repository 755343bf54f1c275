// The parsers alone: what each parameter means, and what is said of one that means nothing.
import { describe, expect, test } from 'vitest'
import { parseTreePath } from '../../src/rest/request/names.ts'
import { readQuery } from '../../src/rest/request/query.ts'
import { parseSelect } from '../../src/rest/request/select.ts'

import { refusal } from './refusal.ts'

const column = (name: string, more = {}) => ({ kind: 'field', field: { name, path: [] }, ...more })

describe('select', () => {
  test('columns, aliases, casts, JSON paths', () => {
    expect(parseSelect('*')).toEqual([column('*')])
    expect(parseSelect('id,name')).toEqual([column('id'), column('name')])
    expect(parseSelect(' id , full name ')).toEqual([column('id'), column('full name')])
    expect(parseSelect('a:id::text')).toEqual([column('id', { alias: 'a', cast: 'text' })])
    expect(parseSelect('with-dash,"a,b":"c.d"')).toEqual([
      column('with-dash'),
      column('c.d', { alias: 'a,b' }),
    ])
    expect(parseSelect('data->a->>b->0->-1')).toEqual([
      {
        kind: 'field',
        field: {
          name: 'data',
          path: [
            { arrow: '->', key: 'a', isIndex: false },
            { arrow: '->>', key: 'b', isIndex: false },
            { arrow: '->', key: '+0', isIndex: true },
            { arrow: '->', key: '-1', isIndex: true },
          ],
        },
      },
    ])
    expect(parseSelect('x:data->!@#$%^&*_a::int')).toEqual([
      {
        kind: 'field',
        alias: 'x',
        cast: 'int',
        field: { name: 'data', path: [{ arrow: '->', key: '!@#$%^&*_a', isIndex: false }] },
      },
    ])
    expect(parseSelect('')).toEqual([])
  })

  test('embeds with aliases, hints, joins and spreads, nested', () => {
    const embed = (name: string, more = {}) => ({
      kind: 'embed',
      name,
      spread: false,
      items: [column('*')],
      ...more,
    })
    expect(parseSelect('client(*)')).toEqual([embed('client')])
    expect(parseSelect('c:client!fk!inner(*)')).toEqual([
      embed('client', { alias: 'c', hint: 'fk', join: 'inner' }),
    ])
    expect(parseSelect('client!left!fk(*)')).toEqual([embed('client', { hint: 'fk', join: 'left' })])
    expect(parseSelect('...client(id),x()')).toEqual([
      embed('client', { spread: true, items: [column('id')] }),
      embed('x', { items: [] }),
    ])
    expect(parseSelect('a(b(c),d)')).toEqual([
      embed('a', { items: [embed('b', { items: [column('c')] }), column('d')] }),
    ])
  })

  test('aggregates', () => {
    expect(parseSelect('count()')).toEqual([column('*', { aggregate: 'count' })])
    expect(parseSelect('n:count()::text')).toEqual([
      column('*', { aggregate: 'count', aggregateCast: 'text', alias: 'n' }),
    ])
    expect(parseSelect('a::int.sum()::text,b.max(),c.min()')).toEqual([
      column('a', { cast: 'int', aggregate: 'sum', aggregateCast: 'text' }),
      column('b', { aggregate: 'max' }),
      column('c', { aggregate: 'min' }),
    ])
    // Not called, they are columns.
    expect(parseSelect('count,sum')).toEqual([column('count'), column('sum')])
  })

  test('mistakes are reported with their place', () => {
    expect(refusal(() => parseSelect('id,clients(name[])'))).toBe(
      '"failed to parse select parameter (id,clients(name[]))" (line 1, column 16): ' +
        'unexpected \'[\' expecting letter, digit, "-", "->>", "->", "::", ".", ")", "," or end of input',
    )
    expect(refusal(() => parseSelect('data->>-78xy'))).toBe(
      '"failed to parse select parameter (data->>-78xy)" (line 1, column 11): ' +
        'unexpected \'x\' expecting digit, "->", "::", ".", "," or end of input',
    )
    expect(refusal(() => parseSelect('client(id'))).toMatch(/column 10\): unexpected end of input/)
    expect(refusal(() => parseSelect('name::'))).toMatch(
      /column 7\): unexpected end of input expecting letter or digit/,
    )
    expect(refusal(() => parseSelect('a(b),'))).toMatch(/unexpected end of input/)
    expect(refusal(() => parseSelect(Array(1001).fill('a').join()))).toMatch(/too complex/)
    expect(refusal(() => parseSelect('a('.repeat(30) + ')'.repeat(30)))).toMatch(/too complex/)
  })
})

describe('filters', () => {
  const filter = (text: string) => {
    const query = readQuery(text, false)
    const [found] = query.parse().filters
    return {
      ...found,
      value: found?.operation.value === undefined ? undefined : query.values[found.operation.value],
    }
  }
  const operation = (text: string) => {
    const { operation: found, value } = filter(`a=${encodeURIComponent(text)}`)
    const { value: _, ...rest } = found ?? ({} as never)
    return { ...rest, text: value }
  }

  test('operators, negation, modifiers', () => {
    expect(operation('eq.5')).toEqual({ operator: 'eq', negated: false, text: '5' })
    expect(operation('not.gte.a.b.c')).toEqual({ operator: 'gte', negated: true, text: 'a.b.c' })
    expect(operation('like(any).{a*,*b}')).toMatchObject({ quantifier: 'any', text: '{a%,%b}' })
    expect(operation('eq(all).{1,2}')).toMatchObject({ quantifier: 'all', text: '{1,2}' })
    expect(operation('fts(english).a & b')).toMatchObject({
      operator: 'fts',
      language: 'english',
      text: 'a & b',
    })
    expect(operation('wfts.a')).toMatchObject({ operator: 'wfts', text: 'a' })
    expect(operation('is.NULL')).toMatchObject({ operator: 'is', is: 'null' })
    expect(operation('is.not_null')).toMatchObject({ is: 'not_null' })
    expect(operation('isdistinct.1')).toMatchObject({ operator: 'isdistinct', text: '1' })
    expect(operation('eq.')).toMatchObject({ text: '' })
    for (const name of [
      'neq',
      'cs',
      'cd',
      'ov',
      'sl',
      'sr',
      'nxr',
      'nxl',
      'adj',
      'match',
      'imatch',
      'ilike',
    ]) {
      expect(operation(`${name}.x`)).toMatchObject({ operator: name, text: 'x' })
    }
  })

  test('lists become one array', () => {
    expect(operation('in.(1,2,3)').text).toBe('{"1","2","3"}')
    expect(operation('in.("a,b","c\\"d",e "f",)').text).toBe('{"a,b","c\\"d","e \\"f\\"",""}')
    expect(operation('in.(back\\slash)').text).toBe('{"back\\\\slash"}')
    expect(operation('in.()').text).toBe('{}')
  })

  test('paths to embeds and into JSON', () => {
    expect(parseTreePath('a.b.c->d')).toEqual({
      path: ['a', 'b'],
      field: { name: 'c', path: [{ arrow: '->', key: 'd', isIndex: false }] },
    })
    expect(filter('"a.b"=eq.1')).toMatchObject({ path: [], field: { name: 'a.b' }, value: '1' })
  })

  test('and, or, not, nested, with values that hold commas', () => {
    const query = readQuery('or=(a.eq.1,and(b.in.(1,2),c.not.is.true),not.or(d.cs.{x,y},e.eq."f,g"))', false)
    expect(query.values).toEqual(['1', '{"1","2"}', '{x,y}', 'f,g'])
    const [{ tree } = { tree: null }] = query.parse().logic
    expect(tree).toMatchObject({
      kind: 'or',
      negated: false,
      children: [
        { kind: 'filter' },
        {
          kind: 'and',
          children: [{ kind: 'filter' }, { kind: 'filter', operation: { negated: true, is: 'true' } }],
        },
        { kind: 'or', negated: true },
      ],
    })
    expect(readQuery('client.not.and=(a.eq.1,b.eq.2)', false).parse().logic[0]).toMatchObject({
      path: ['client'],
      tree: { kind: 'and', negated: true },
    })
  })

  test('equal shapes with different values have equal shapes, others have not', () => {
    const shape = (text: string) => readQuery(text, false).shape
    expect(shape('a=eq.1&or=(b.eq.2,c.in.(3,4))')).toBe(shape('a=eq.x&or=(b.eq.y,c.in.(z))'))
    for (const [one, two] of [
      ['a=eq.1', 'a=neq.1'],
      ['a=eq.1', 'a=not.eq.1'],
      ['a=is.null', 'a=is.true'],
      ['a=eq.1', 'b=eq.1'],
      ['a=fts.x', 'a=fts(english).x'],
      ['select=a', 'select=b'],
      ['a->b=eq.1', 'a->>b=eq.1'],
      ['or=(a.eq.1,b.eq.2)', 'and=(a.eq.1,b.eq.2)'],
      ['c.limit=1', 'c.limit=2'],
    ]) {
      expect(shape(one as string)).not.toBe(shape(two as string))
    }
  })

  test('mistakes are reported with their place', () => {
    expect(refusal(() => filter('a=noop.0'))).toBe(
      '"failed to parse filter (noop.0)" (line 1, column 1): unexpected "o" expecting "not" or operator (eq, gt, ...)',
    )
    expect(refusal(() => filter('a=val'))).toBe(
      '"failed to parse filter (val)" (line 1, column 1): unexpected "v" expecting "not" or operator (eq, gt, ...)',
    )
    expect(refusal(() => filter('a=is.maybe'))).toBe(
      '"failed to parse filter (is.maybe)" (line 1, column 4): unexpected "m" expecting isVal: (null, not_null, true, false, unknown)',
    )
    expect(refusal(() => filter('a=in.1,2'))).toMatch(/column 4\): unexpected "1" expecting "\("/)
    expect(refusal(() => filter('a=eq().1'))).toMatch(
      /column 4\): unexpected "\)" expecting operator \(eq, gt, \.\.\.\)/,
    )
    expect(refusal(() => readQuery('or=()', false))).toBe(
      '"failed to parse logic tree (())" (line 1, column 4): unexpected ")" expecting ' +
        'field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)',
    )
    expect(refusal(() => readQuery('select=data->(a->>b::integer', false).parse())).toBe(
      '"failed to parse select parameter (data->(a->>b::integer)" (line 1, column 7): unexpected "(" expecting ' +
        '"-", digit or any non reserved character different from: .,>()',
    )
    expect(refusal(() => readQuery('select=data->>--34', false).parse())).toBe(
      '"failed to parse select parameter (data->>--34)" (line 1, column 9): unexpected "-" expecting digit',
    )
    expect(refusal(() => readQuery('or=(id.in.1,2,id.eq.3)', false))).toMatch(
      /column 10\): unexpected "1" expecting "\("/,
    )
    expect(refusal(() => readQuery(`or=${'('.repeat(10)}`, false))).toMatch(/failed to parse logic tree/)
    expect(refusal(() => readQuery(`or=${'(and'.repeat(40)}(a.eq.1)${')'.repeat(40)}`, false))).toMatch(
      /too complex/,
    )
    expect(refusal(() => readQuery(`${'a=eq.1&'.repeat(1001)}`, false))).toMatch(/too complex/)
  })
})
