// Saskatchewan's cities, offered where a person or a task says where it is. Free text is allowed beside them.

export const CITIES = [
  'Saskatoon',
  'Regina',
  'Prince Albert',
  'Moose Jaw',
  'Swift Current',
  'Yorkton',
  'North Battleford',
  'Estevan',
  'Warman',
  'Weyburn',
  'Martensville',
  'Lloydminster',
  'Melfort',
  'Humboldt',
  'Meadow Lake',
  'Melville',
] as const
