// Takes out of dist/ what nothing loads: modules that the prebuilt files contain, and declarations that no author of a plugin meets.
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const MODULE = /\.([mc]?js|m?ts|json)$/;
/** What a module imports, exports from elsewhere and requires: in code and in declarations. */
const importsOf = (text) => ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);

/** A declaration names the file as it was written. */
const declared = (path) => path.replace(/(?<!\.d)\.(m?)[jt]s$/, '.d.$1ts');

/** All that the entries import, and what that imports. Names of packages land in `packages`. */
function reached(dist, entries, nameOf, packages) {
  const found = new Set();
  const queue = entries.filter((path) => existsSync(join(dist, path)));
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    if (path.endsWith('.json')) continue;
    for (const specifier of importsOf(readFileSync(join(dist, path), 'utf8'))) {
      if (!specifier.startsWith('.')) packages.set(specifier, path);
      else {
        const target = nameOf(join(dirname(path), specifier));
        if (existsSync(join(dist, target))) queue.push(target);
      }
    }
  }
  return found;
}

/** The name of an npm package; undefined for what Node or the package itself provides. */
function packageOf(specifier) {
  if (specifier.startsWith('node:') || builtinModules.includes(specifier) || specifier.startsWith('svc/'))
    return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Throws when code in dist/ imports a package that an installation does not bring. */
function checkPackages(packages, dependencies) {
  const missing = [...packages]
    .map(([specifier, path]) => ({ name: packageOf(specifier), path }))
    .filter(({ name }) => name !== undefined && !dependencies.has(name));
  if (missing.length > 0)
    throw new Error(missing.map(({ name, path }) => `${path} imports ${name}, which is not a dependency`).join('\n'));
}

/** Programs, pages, libraries, data and what is copied elsewhere are read by their paths. */
const READ_BY_PATH =
  /^(connectors|node_modules|test\/plugins|plugins\/operations\/(console\/web|docs\/dist)|plugins\/execution\/scripts\/sdk)\/|\/plugin\.json$|^plugins\/wings\.json$|^package\.json$|^cli\/(kernel|commands)(\.sources)?\.js(on)?$/;
const LOADED_BY_PATH = /^cli\/[^/]*\.mjs$|^plugins\/execution\/.*\.[mc]js$|\/console\/[^/]*\.mjs$/;

/**
 * Keeps what is read or loaded by its path, the `modules` named and what these import, the files in `bundled`, and the declarations of
 * what is published.
 */
export function prune(dist, { dependencies, modules, bundled, declarations }) {
  const all = globSync('**/*', { cwd: dist, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dist.length + 1));
  const isBundled = new Set(bundled);
  const loaded = [...modules, ...all.filter((path) => LOADED_BY_PATH.test(path) && !isBundled.has(path))];
  const packages = new Map();
  const code = reached(dist, loaded, (path) => path, packages);
  checkPackages(packages, dependencies);
  const types = reached(dist, declarations.map(declared), declared, new Map());
  for (const path of all.filter((one) => MODULE.test(one) && !READ_BY_PATH.test(one)))
    if (!code.has(path) && !types.has(path) && !isBundled.has(path)) rmSync(join(dist, path));
}
