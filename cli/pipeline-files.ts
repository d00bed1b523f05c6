import { dirname, isAbsolute, posix, resolve } from 'node:path';
import { bundleDocument } from './bundled.ts';
import { usageError } from './errors.ts';
import { collectIncluded, type IncludeContext, type IncludedFile } from './included.ts';
import { readBounded } from './input.ts';

/** How deep pipelines may run other pipelines. */
const MAX_DEPTH = 8;

interface Pipeline {
  files?: Record<string, unknown>;
  included?: unknown;
  jobs?: Record<string, { workflow?: unknown; include?: unknown } | null>;
}

/** The files that a document refers to. */
interface References {
  workflows: string[];
  includes: { job: string; script: string; paths: string[] }[];
}

const NOTHING: References = { workflows: [], includes: [] };

export const isPipeline = (path: string | undefined, as: unknown): boolean =>
  as === 'pipeline' || as === 'yaml' || (as === undefined && /\.ya?ml$/i.test(path ?? ''));

/**
 * Embeds the files that the `workflow` jobs of a pipeline name. They are read from its folder and appended as `files`, so that
 * the lines of the pipeline keep their numbers. Files that the scripts include are added to `contents` and listed as
 * `included`. Throws a usage error for a file that cannot be read, and `include_outside` for one outside of the root.
 */
export async function embedFiles(source: string, path: string, context: IncludeContext, depth = 0): Promise<string> {
  const { workflows: named, includes } = await findReferences(source);
  if (named.length === 0) return source;
  if (depth >= MAX_DEPTH)
    throw usageError(
      `${path}: pipelines are nested more than ${MAX_DEPTH} levels deep`,
      'check whether they run each other in a cycle',
    );
  const files: Record<string, string> = {};
  for (const name of named) {
    const file = resolve(dirname(path), name);
    const unreadable = (reason: string) =>
      usageError(`${path} runs ${name}, which cannot be read: ${reason}`, 'paths are relative to the pipeline');
    const text = (await readBounded(file, unreadable, { root: context.root, name: name })).toString();
    if (isPipeline(name, undefined)) files[name] = await embedFiles(text, file, context, depth + 1);
    // An export writes bundles, which another bundler run could change.
    else if (BUNDLE.test(text)) files[name] = text;
    else files[name] = await bundleDocument({ path: file, source: text, root: context.root });
  }
  const included: Record<string, unknown> = {};
  for (const { job, script, paths } of includes)
    included[job] = await collectIncluded(resolve(dirname(path), script), paths, context);
  const included_line = includes.length === 0 ? '' : `included: ${JSON.stringify(included)}\n`;
  return `${source.endsWith('\n') ? source : `${source}\n`}files: ${JSON.stringify(files)}\n${included_line}`;
}

/** The first lines of a script that was bundled already. */
const BUNDLE = /^(?:#!.*\n)?\/\/ svc-bundle (?:esm|cjs) /;
/** The lines that `embedFiles` appends. */
const EMBEDDED = /(?<=\n)files: (\{[^\n]*\})\n(?:included: (\{[^\n]*\})\n)?$/;

/** A pipeline as its author wrote it, and what `embedFiles` added. Paths are relative to the pipeline. */
export interface SplitPipeline {
  source: string;
  files: { path: string; text: string }[];
  included: IncludedFile[];
}

/**
 * Takes the files out of a pipeline that `embedFiles` made, so that embedding them again makes the same pipeline. Returns
 * undefined for one whose `files` or `included` were written by somebody else.
 */
export async function splitPipeline(document: string, depth = 0): Promise<SplitPipeline | undefined> {
  const { files, included } = await parsePipeline(document);
  if (files === undefined && included === undefined) return { source: document, files: [], included: [] };
  const embedded = EMBEDDED.exec(document);
  if (!embedded || depth > MAX_DEPTH) return undefined;
  const source = document.slice(0, embedded.index);
  const [texts, lists] = [embedded[1]!, embedded[2] ?? '{}'].map(parseUnchanged) as [
    Record<string, unknown> | undefined,
    Record<string, IncludedFile[]> | undefined,
  ];
  const { workflows, includes } = await findReferences(source);
  const jobs = includes.map(({ job }) => job);
  if (!texts || !lists || !isSameList(workflows, Object.keys(texts)) || !isSameList(jobs, Object.keys(lists)))
    return undefined;
  const split: SplitPipeline = { source, files: [], included: [] };
  for (const name of workflows) {
    const text = texts[name];
    if (typeof text !== 'string' || isAbsolute(name)) return undefined;
    const path = posix.normalize(name);
    const nested = isPipeline(name, undefined) ? await splitPipeline(text, depth + 1) : undefined;
    if (isPipeline(name, undefined) && !nested) return undefined;
    const from = posix.dirname(path);
    split.files.push({ path, text: nested?.source ?? text });
    split.files.push(...(nested?.files ?? []).map((one) => ({ ...one, path: posix.join(from, one.path) })));
    split.included.push(...(nested?.included ?? []).map((one) => ({ ...one, path: posix.join(from, one.path) })));
  }
  for (const { job, script } of includes)
    for (const one of lists[job] ?? [])
      split.included.push({ ...one, path: posix.join(posix.dirname(script), one.path) });
  return split;
}

/** Parses JSON that is written as `JSON.stringify` writes it. */
function parseUnchanged(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);

/** The maximum number of YAML aliases, the same as in the check of a pipeline. */
const MAX_ALIASES = 1000;

/** Finds the files to embed. None when the document already has `files`, or cannot be read, which its check will report. */
async function findReferences(source: string): Promise<References> {
  if (!source.includes('workflow')) return NOTHING;
  const { files, jobs } = await parsePipeline(source);
  if (files !== undefined || jobs === undefined || jobs === null || typeof jobs !== 'object') return NOTHING;
  const workflows = Object.values(jobs).flatMap((job) => (typeof job?.workflow === 'string' ? [job.workflow] : []));
  const includes = Object.entries(jobs).flatMap(([job, options]) => {
    const { workflow, include } = options ?? {};
    if (typeof workflow !== 'string' || !isStringList(include) || isPipeline(workflow, undefined)) return [];
    return [{ job, script: workflow, paths: include }];
  });
  return { workflows: [...new Set(workflows)], includes };
}

/** The check of the pipeline rejects any other value. */
const isStringList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');

async function parsePipeline(source: string): Promise<Pipeline> {
  const { parseDocument } = await import('yaml');
  try {
    // The check reports repeated keys. The parser would compare each key with all others.
    const document = parseDocument(source, { merge: true, uniqueKeys: false, logLevel: 'silent' });
    return document.errors.length > 0 ? {} : ((document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {}) as Pipeline);
  } catch (error) {
    // Endless anchors or too deep brackets: the check reports their position.
    if (error instanceof ReferenceError || error instanceof RangeError) return {};
    throw error;
  }
}
