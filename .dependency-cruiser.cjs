/** The dependency rules of the house; `npm run check:arch` runs them. */
const pluginContracts = '^plugins/[^/]+/contract\\.ts$';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only', 'dynamic-import'] } } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, pathNot: ['\\.test\\.ts$', '^test/', '^features/', '^kernel/(schema|database)/[^/]+\\.ts$', '\\.mjs$', '^cli/commands/', '/generated/', '\\.d\\.mts$'] }, to: {} },
    { name: 'kernel-stands-alone', severity: 'error', from: { path: '^kernel/', pathNot: '\\.test\\.ts$|testsuite\\.ts$' }, to: { path: '^(plugins|cli|features|test|connectors)/' } },
    { name: 'contracts-stand-alone', severity: 'error', from: { path: '^kernel/contracts/', pathNot: '\\.test\\.ts$' }, to: { path: '^kernel/(?!contracts/)' } },
    { name: 'plugins-see-kernel-contracts-only', severity: 'error', from: { path: '^plugins/', pathNot: '\\.test\\.ts$|testsuite\\.ts$|/testing/|test-server\\.ts$' }, to: { path: '^kernel/(?!contracts/|schema/)' } },
    { name: 'plugins-meet-by-contract', severity: 'error', from: { path: '^plugins/([^/]+)/', pathNot: '\\.test\\.ts$|testsuite\\.ts$|/testing/|test-server\\.ts$' }, to: { path: '^plugins/', pathNot: ['^plugins/$1/', pluginContracts] } },
    { name: 'contracts-see-contracts', severity: 'error', from: { path: '^plugins/([^/]+)/contract(\\.ts$|/)' }, to: { path: '^(plugins|kernel)/', pathNot: ['^kernel/contracts/', pluginContracts, '^plugins/$1/(generated|contract)/'] } },
    { name: 'plugins-not-from-outside', severity: 'error', from: { path: '^plugins/', pathNot: '\\.test\\.ts$|testsuite\\.ts$|/testing/|test-server\\.ts$' }, to: { path: '^(cli|features|test)/' } },
    { name: 'cli-enters-by-one-door', severity: 'error', from: { path: '^cli/' }, to: { path: '^(kernel|plugins|features|test|connectors)/', pathNot: '^kernel/boot/index\\.ts$' } },
    // Programs that features run may import what every script may: the published SDK.
    { name: 'features-stay-outside', severity: 'error', from: { path: '^features/' }, to: { path: '^(kernel|plugins|cli)/', pathNot: '^plugins/scripts/sdk/sdk\\.mjs$' } },
    { name: 'third-parties-use-the-published-names', severity: 'error', from: { path: '^test/plugins/' }, to: { path: '^(kernel|plugins)/', pathNot: ['^kernel/contracts/index\\.ts$', pluginContracts] } },
    { name: 'only-the-registry-knows-the-container', severity: 'error', from: { pathNot: '^kernel/registry/' }, to: { path: 'node_modules/(tsyringe|reflect-metadata)' } },
    { name: 'http-framework-stays-in-http', severity: 'error', from: { pathNot: '^kernel/http/' }, to: { path: 'node_modules/restify' } },
    { name: 'drivers-stay-in-the-database', severity: 'error', from: { path: '^(kernel|plugins|cli)/', pathNot: '^kernel/database/|\\.test\\.ts$' }, to: { path: 'node_modules/(mysql2|umzug)' } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'node_modules|^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'], extensions: ['.ts', '.mjs', '.js', '.json'] },
  },
};
