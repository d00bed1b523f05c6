import { isBuiltin, stripTypeScriptTypes } from 'node:module';

const TYPED = /\.m?ts$/i;
const RUN_BY_NODE = /\.(?:[cm]?js|m?ts)$/i;
/** An import with the text that it names. No look goes past the next keyword, or a large text would take minutes. */
const NAMED =
  /\b(?:import|export)\b(?:(?!\b(?:import|export)\b)[^;'"`()]){0,5000}?(['"])([^'"\n]+)\1|\b(?:import|require)\s*\(\s*(['"`])([^'"`\n]+)\3\s*\)/g;
/** What may import something, for a closer look. */
const MAY_IMPORT = /\bimport\b(?!\s*\.\s*meta)|\brequire\s*[(.]|\bexport\b(?:(?!\bexport\b)[^;'"`()=]){0,5000}\bfrom\b/;
/** What may be syntax that Node does not take away. */
const MAY_BE_MORE = /\b(?:enum|namespace|module|constructor|accessor)\b|@\w|\b(?:import\s+\w+|export)\s*=/;

/** True for what every script finds on its agent: the SDK, what Node brings, and files that it names by their place. */
export const isThere = (name: string): boolean =>
  name === 'svc/sdk' || isBuiltin(name) || /^(?:\/|file:|data:)/.test(name);

/** Whether Node.js runs a file of this name. */
export const isOfNode = (filename: string): boolean => RUN_BY_NODE.test(filename);

/** Whether a script may import something else than what is there. Certain only when it does not. */
export function mayImport(source: string): boolean {
  const rest = source.replace(NAMED, (all, _quote, name?: string, _other?: string, called?: string) =>
    isThere(name ?? called ?? '') ? '' : all,
  );
  return MAY_IMPORT.test(rest);
}

/** Whether a script has syntax of TypeScript that Node refuses, such as an enum. */
export function hasMoreThanTypes(filename: string, source: string): boolean {
  if (!TYPED.test(filename) || !MAY_BE_MORE.test(source)) return false;
  try {
    withoutWarning(() => stripTypeScriptTypes(source));
    // Decorators are no types: Node leaves them, and does not run them.
    return /^[ \t]*@\w/m.test(source) && /\bclass\b/.test(source);
  } catch (error) {
    return (error as { code?: unknown }).code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
  }
}

/** Node says of this function that it may change, which is nothing for whoever submits a script. */
function withoutWarning(work: () => unknown): void {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
