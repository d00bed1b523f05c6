// The entries of the prebuilt files. They name only what the files load themselves; esbuild finds the rest.
const { readdirSync, readFileSync } = process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');

/** The folders of the built-in plugins, relative to the home, with the names of their files. Sorted by id, as the kernel does. */
function pluginFolders(home) {
  const subfolders = (folder) =>
    readdirSync(join(home, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return subfolders('plugins')
    .flatMap(({ name: wing }) =>
      subfolders(`plugins/${wing}`).map(({ name: id }) => ({ id, folder: `plugins/${wing}/${id}` })),
    )
    .map(({ id, folder }) => ({ id, folder, names: readdirSync(join(home, folder)) }))
    .filter(({ names }) => names.includes('plugin.json'))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

const cached = new Map();

function pluginsOf(home) {
  if (!cached.has(home)) cached.set(home, pluginFolders(home));
  return cached.get(home);
}

/** Which of the files exist in which folders of plugins. */
const present = (home, ending, files) =>
  pluginsOf(home).flatMap(({ folder, names }) =>
    files.filter((file) => names.includes(`${file}.${ending}`)).map((file) => ({ folder, file })),
  );

/**
 * The prebuilt file that contains a published module; undefined for the SDK, which scripts import. Tests of plugins boot the kernel of
 * the package; in a clone, they boot that of the sources.
 */
export function fileOf(specifier, ending) {
  const name = specifier.replace(/^svc/, '.');
  if (name === './cli') return 'commands';
  if (name.startsWith('./sdk') || (name === './testing' && ending === 'ts')) return undefined;
  return 'kernel';
}

/** What outside plugins may import from a prebuilt file, each module evaluated when it is first requested. */
function published(file, home, ending) {
  const { exports } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const modules = Object.entries(exports)
    .filter(([name]) => fileOf(name, ending) === file)
    .map(([name, path]) => `'svc/${name.slice(2)}': () => require('${path}'),`);
  return ['export const published = {', ...modules, '};'].join('\n');
}

/** The kernel and the built-in plugins, each evaluated when it is first requested. The kernel decides which plugins a role loads. */
function kernelEntry(home, ending) {
  const modules = present(home, ending, ['plugin', 'adapter']).map(
    ({ folder, file }) =>
      `prebuilt.set(svc_home + '/${folder}/${file}', () => require('./${folder}/${file}.${ending}'));`,
  );
  return [
    `import { prebuilt } from './kernel/boot/index.${ending}';`,
    ...modules,
    published('kernel', home, ending),
    `export * from './kernel/boot/index.${ending}';`,
  ].join('\n');
}

/** The command line with all commands. A command is evaluated when it is called. */
const commandsEntry = (home, ending) =>
  [`export { main } from './cli/run.${ending}';`, published('commands', home, ending), builtIn(home, ending)].join(
    '\n',
  );

/** Replaces cli/built-in.ts: a fixed list of the plugins' tables and verbs instead of a search. */
export function builtIn(home, ending) {
  const withCommands = pluginsOf(home)
    .filter(({ names }) => names.includes('cli'))
    .map(({ folder }) => ({ folder, names: readdirSync(join(home, folder, 'cli')) }));
  const sources = (file) =>
    withCommands
      .filter(({ names }) => names.includes(`${file}.${ending}`))
      .map(({ folder }) => `{ origin: '${folder}', load: () => import('./${folder}/cli/${file}.${ending}') }`);
  return `const sources = { table: [${sources('table')}], verbs: [${sources('verbs')}] };
export const findBuiltIns = async (file) => sources[file];`;
}

/** The parameters of the code. The runtime is prebuilt.mjs, which decides which kernel a process loads. */
export const parameters = ['module', 'require', 'svc_home', 'svc_home_url', 'svc_module', 'svc_runtime'];

export const entries = { kernel: kernelEntry, commands: commandsEntry };
