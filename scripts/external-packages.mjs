// Bundles that run in this checkout: packages of the registry are not copied into them, those of packages/ are.

/** @type {import('esbuild').Plugin} */
export const externalPackages = {
  name: 'external-packages',
  setup(bundle) {
    bundle.onResolve({ filter: /^[^./]/ }, ({ path }) =>
      path.startsWith('@meadowlark/') ? undefined : { external: true },
    )
  },
}
