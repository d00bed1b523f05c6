/** The dependency rules of the house; `npm run check:arch` runs them. */
/** The CLI's half of a plugin; the rules of the server's half do not hold for it. */
const pluginCli = '^plugins/[^/]+/[^/]+/cli/';

/** What a command and a page of the console say alike: functions of answers, which run in a browser too. */
const explains = '^plugins/[^/]+/[^/]+/explain/';
// What modules of plugins are given, and where they stand.
const forModules = '^plugins/operations/console/contract/(context|places)\\.ts$';
// Numbers that are more than a double: everybody who reads JSON that others wrote.
const exactJson = '^plugins/platform/schema/contract/(exact-json|key-value)\\.ts$';
// A script and its imports become one file where they lie: on the machine of whoever submits, or of the agent.
const bundle = '^plugins/execution/scripts/(bundle/bundle-script|include/read|contract/workflow-root)\\.ts$';
// Where compiled programs are kept: before there is a kernel, and when npm installs.
const ownCache = '^kernel/contracts/own-cache\\.mjs$';
// What somebody meant by a misspelled word.
const similarWords = '^plugins/platform/schema/contract/nearest\\.ts$';
// Which types of events a pattern of a handler matches.
const eventPattern = '^plugins/events/handlers/contract/event-pattern\\.ts$';
// How a workflow declares its inputs: flags of the command line are made from it.
const declaredInputs = '^plugins/platform/schema/contract/(exact-number|shape|declared-inputs)\\.ts$';
// How the files of a project are checked and compared, before anything is sent.
const projectFiles = '^(plugins/platform/schema/contract/(compile|pointer)|kernel/contracts/duration)\\.ts$';
const forBrowsers = `^(cli/(generated/|output/span\\.ts$)|plugins/engine/runs/contract/(approver-names|capabilities)\\.ts$)|${exactJson}|${similarWords}|${eventPattern}`;

// How the command line reaches the service in its own process.
const oneDoor = `^kernel/boot/(index|locate)\\.ts$|${exactJson}|${declaredInputs}|${bundle}|${ownCache}|${similarWords}|${eventPattern}|${projectFiles}`;

/** The console's pages know the types of answers, which are generated. */
const consoleWeb = '^plugins/operations/console/web/';

const pluginContracts = '^plugins/[^/]+/[^/]+/contract\\.ts$';

/** A plugin imports from its own wing and from those below it. Tests may use the contracts of every wing. */
const { wings } = require('./plugins/wings.json');
const wingRules = wings.slice(0, -1).map(({ name }, index) => ({
  name: `${name}-imports-nothing-above`,
  severity: 'error',
  from: { path: `^plugins/${name}/`, pathNot: `${pluginCli}|\\.test\\.ts$|testsuite\\.ts$|/testing/` },
  to: { path: `^plugins/(${wings.slice(index + 1).map((wing) => wing.name).join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...wingRules,
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only', 'dynamic-import'] } } },
    { name: 'no-cycles-in-the-cli', severity: 'error', from: { path: ['^cli/', pluginCli] }, to: { circular: true } },
    { name: 'run-store-has-no-circles', severity: 'error', from: { path: '^plugins/engine/runs/store/[^/]+/' }, to: { circular: true, viaOnly: { path: '^plugins/engine/runs/(store|trace)/' } } },
    { name: 'run-store-knows-no-service', severity: 'error', from: { path: '^plugins/engine/runs/store/', pathNot: '\\.test\\.ts$' }, to: { path: '^plugins/engine/runs/(service|sweeper|rerun|verbs|cli|explain)/|^plugins/engine/runs/[a-z-]*(routes?|plugin|request-target)\\.ts$' } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, pathNot: ['\\.test\\.ts$', '^test/', '^features/', '\\.mjs$', '^cli/commands/', pluginCli, '/generated/', '\\.d\\.mts$', '^plugins/operations/console/web/kit/scroll-lock\\.tsx$'] }, to: {} },
    { name: 'kernel-stands-alone', severity: 'error', from: { path: '^kernel/', pathNot: '\\.test\\.ts$|testsuite\\.ts$' }, to: { path: '^(plugins|cli|features|test|connectors)/' } },
    { name: 'contracts-stand-alone', severity: 'error', from: { path: '^kernel/contracts/', pathNot: '\\.test\\.ts$' }, to: { path: '^kernel/(?!contracts/)' } },
    { name: 'plugins-see-kernel-contracts-only', severity: 'error', from: { path: '^plugins/', pathNot: '\\.test\\.ts$|testsuite\\.ts$|/testing/' }, to: { path: '^kernel/(?!contracts/)' } },
    { name: 'plugins-meet-by-contract', severity: 'error', from: { path: '^plugins/([^/]+/[^/]+)/', pathNot: `\\.test\\.ts$|testsuite\\.ts$|/testing/|${consoleWeb}|${explains}` }, to: { path: '^plugins/', pathNot: ['^plugins/$1/', pluginContracts] } },
    // Tests of a plugin are held to what a third party has: contracts, the kit, its own files, and programs that stand for the world outside.
    { name: 'plugin-tests-meet-by-contract', severity: 'error', from: { path: '^plugins/([^/]+/[^/]+)/.*(\\.test\\.ts$|testsuite\\.ts$|/testing/)' }, to: { path: '^(plugins|kernel|cli|features|test)/', pathNot: ['^plugins/$1/', pluginContracts, '^kernel/contracts/', '^test/(kit|support|tools)/', '^features/support/', '^cli/generated/'] } },
    { name: 'kit-is-for-everybody', severity: 'error', from: { path: '^test/kit/' }, to: { path: '^(plugins|kernel|cli|features|test)/', pathNot: ['^test/kit/', pluginContracts, '^kernel/(contracts|boot)/', '^plugins/security/masking/service/maskers\\.ts$'] } },
    { name: 'contracts-see-contracts', severity: 'error', from: { path: '^plugins/([^/]+/[^/]+)/contract(\\.ts$|/)' }, to: { path: '^(plugins|kernel)/', pathNot: ['^kernel/contracts/', pluginContracts, '^plugins/$1/(generated|contract|schema)/'] } },
    { name: 'plugins-not-from-outside', severity: 'error', from: { path: '^plugins/', pathNot: `${pluginCli}|${consoleWeb}|${explains}|\\.test\\.ts$|testsuite\\.ts$|/testing/` }, to: { path: '^(cli|features|test)/' } },
    { name: 'console-pages-see-types-of-answers', severity: 'error', from: { path: consoleWeb }, to: { path: '^(cli|kernel|plugins|features|test|connectors)/', pathNot: [consoleWeb, explains, forModules, forBrowsers] } },
    { name: 'explanations-run-in-a-browser', severity: 'error', from: { path: explains, pathNot: '\\.test\\.ts$' }, to: { path: '^(cli|kernel|plugins|features|test|connectors)/|^node:', pathNot: ['^plugins/operations/run-views/explain/', forBrowsers] } },
    { name: 'console-pages-stay-in-the-browser', severity: 'error', from: { pathNot: consoleWeb }, to: { path: consoleWeb } },
    // The types of answers refer to those that plugins generate from their schemas.
    { name: 'cli-enters-by-one-door', severity: 'error', from: { path: '^cli/', pathNot: '^cli/(generated|build)/|\\.test\\.ts$' }, to: { path: '^(kernel|plugins|features|test|connectors)/', pathNot: oneDoor } },
    // They also say what the machine lacks for them.
    { name: 'cli-tests-enter-by-one-door', severity: 'error', from: { path: '^cli/.*\\.test\\.ts$', pathNot: '^cli/(generated|build)/' }, to: { path: '^(kernel|plugins|features|test|connectors)/', pathNot: [oneDoor, '^test/kit/needs\\.ts$'] } },
    { name: 'cli-types-come-from-schemas', severity: 'error', from: { path: '^cli/generated/' }, to: { path: '^(kernel|plugins|features|test|connectors)/', pathNot: '^plugins/[^/]+/[^/]+/generated/' } },
    // What a plugin does on the disk of whoever calls it, its commands and its agent's half share (local/).
    { name: 'plugin-commands-use-the-cli-contract', severity: 'error', from: { path: '^plugins/([^/]+/[^/]+)/cli/', pathNot: '\\.test\\.ts$' }, to: { path: '^(cli|kernel|plugins|features|test|connectors)/', pathNot: ['^cli/contract\\.ts$', '^plugins/$1/(cli|local|explain)/'] } },
    { name: 'plugin-servers-do-without-their-commands', severity: 'error', from: { path: '^(plugins|kernel)/', pathNot: pluginCli }, to: { path: pluginCli, pathNot: '/cli/verbs\\.ts$' } },
    // Programs that features run may import what every script may: the published SDK.
    { name: 'features-stay-outside', severity: 'error', from: { path: '^features/' }, to: { path: '^(kernel|plugins|cli)/', pathNot: '^plugins/execution/scripts/sdk/sdk\\.mjs$' } },
    { name: 'third-parties-use-the-published-names', severity: 'error', from: { path: '^test/plugins/' }, to: { path: '^(kernel|plugins|cli)/', pathNot: ['^(kernel/contracts/index|cli/contract|plugins/authors)\\.ts$', pluginContracts] } },
    { name: 'only-the-registry-knows-the-container', severity: 'error', from: { pathNot: '^kernel/registry/' }, to: { path: 'node_modules/(tsyringe|reflect-metadata)' } },
    { name: 'http-framework-stays-in-http', severity: 'error', from: { pathNot: '^plugins/platform/http/' }, to: { path: 'node_modules/restify' } },
    { name: 'drivers-stay-in-the-database', severity: 'error', from: { path: '^(kernel|plugins|cli)/', pathNot: '^plugins/platform/database/|\\.test\\.ts$' }, to: { path: 'node_modules/(mysql2|umzug)' } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'node_modules|(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'], extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'] },
  },
};
