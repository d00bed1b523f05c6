import { isBuiltin, stripTypeScriptTypes } from 'node:module';

const TYPED = /\.m?ts$/i;
const NODE_EXTENSION = /\.(?:[cm]?js|m?ts)$/i;
/**
 * Matches an import with the module that it names. It never searches past the next keyword, or a large text would
 * take minutes.
 */
const NAMED =
  /\b(?:import|export)\b(?:(?!\b(?:import|export)\b)[^;'"`()]){0,5000}?(['"])([^'"\n]+)\1|\b(?:import|require)\s*\(\s*(['"`])([^'"`\n]+)\3\s*\)/g;
/** Matches what may import something, and needs a closer look. */
const POSSIBLE_IMPORT =
  /\bimport\b(?!\s*\.\s*meta)|\brequire\s*[(.]|\bexport\b(?:(?!\bexport\b)[^;'"`()=]){0,5000}\bfrom\b/;
/** Matches what may be syntax that Node does not strip. */
const POSSIBLY_UNSUPPORTED = /\b(?:enum|namespace|module|constructor|accessor)\b|@\w|\b(?:import\s+\w+|export)\s*=/;

/** True for what every script finds on its agent: the SDK, Node's own modules, and files that it names by URL. */
export const isAvailableAtRuntime = (name: string): boolean =>
  name === 'svc/sdk' || name === 'svc/sdk/testing' || isBuiltin(name) || /^(?:\/|file:|data:)/.test(name);

/** Whether Node.js runs a file of this name. */
export const isNodeScript = (filename: string): boolean => NODE_EXTENSION.test(filename);

/** Whether a script may import anything beyond that. Only a negative result is certain. */
export function mayHaveImports(source: string): boolean {
  const remaining = source.replace(NAMED, (all, _quote, name?: string, _other?: string, called?: string) =>
    isAvailableAtRuntime(name ?? called ?? '') ? '' : all,
  );
  return POSSIBLE_IMPORT.test(remaining);
}

/** Whether a script has TypeScript syntax that Node rejects, such as an enum. */
export function needsTranspiling(filename: string, source: string): boolean {
  if (!TYPED.test(filename) || !POSSIBLY_UNSUPPORTED.test(source)) return false;
  try {
    suppressWarnings(() => stripTypeScriptTypes(source));
    // Decorators are not types: Node leaves them in place, and does not run them.
    return /^[ \t]*@\w/m.test(source) && /\bclass\b/.test(source);
  } catch (error) {
    return (error as { code?: unknown }).code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
  }
}

/** Node warns that this function may change, which does not concern whoever submits a script. */
function suppressWarnings(work: () => unknown): void {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
