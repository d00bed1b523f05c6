import { dirname, resolve } from 'node:path';
import { bundled } from './bundled.ts';
import { usageError } from './errors.ts';
import { includedBy, type TakenAlong } from './included.ts';
import { readBounded } from './input.ts';

/** Pipelines within pipelines. */
const MAX_DEPTH = 8;

interface Pipeline {
  files?: Record<string, unknown>;
  jobs?: Record<string, { workflow?: unknown; include?: unknown } | null>;
}

/** What a document asks for. */
interface Named {
  named: string[];
  includes: { job: string; script: string; paths: string[] }[];
}

const NOTHING: Named = { named: [], includes: [] };

export const isPipeline = (path: string | undefined, as: unknown): boolean =>
  as === 'pipeline' || as === 'yaml' || (as === undefined && /\.ya?ml$/i.test(path ?? ''));

/**
 * A pipeline with the files that its `workflow` jobs name, read from its folder and written below it as `files`. The lines
 * of the pipeline stay where they are; what the scripts include is added to `contents`, and named as `included`. Throws a
 * usage error for a file that cannot be read, and `include_outside` for one outside of the root.
 */
export async function withFiles(source: string, path: string, taken: TakenAlong, depth = 0): Promise<string> {
  const { named, includes } = await namedFiles(source);
  if (named.length === 0) return source;
  if (depth >= MAX_DEPTH)
    throw usageError(
      `${path}: pipelines run pipelines, more than ${MAX_DEPTH} deep`,
      'do they run each other in a circle?',
    );
  const files: Record<string, string> = {};
  for (const name of named) {
    const place = resolve(dirname(path), name);
    const refused = (reason: string) =>
      usageError(`${path} runs ${name}, which cannot be read: ${reason}`, 'paths are relative to the pipeline');
    const text = (await readBounded(place, refused, { root: taken.root, named: name })).toString();
    files[name] = isPipeline(name, undefined)
      ? await withFiles(text, place, taken, depth + 1)
      : await bundled({ path: place, source: text, root: taken.root });
  }
  const included: Record<string, unknown> = {};
  for (const { job, script, paths } of includes)
    included[job] = await includedBy(resolve(dirname(path), script), paths, taken);
  const beside = includes.length === 0 ? '' : `included: ${JSON.stringify(included)}\n`;
  return `${source.endsWith('\n') ? source : `${source}\n`}files: ${JSON.stringify(files)}\n${beside}`;
}

/** Uses of anchors, as the check of a pipeline counts them. */
const MAX_ALIASES = 1000;

/** The files to add: none when the document has `files` of its own, or cannot be read, which its check will say. */
async function namedFiles(source: string): Promise<Named> {
  if (!source.includes('workflow')) return NOTHING;
  const { files, jobs } = await read(source);
  if (files !== undefined || jobs === undefined || jobs === null || typeof jobs !== 'object') return NOTHING;
  const named = Object.values(jobs).flatMap((job) => (typeof job?.workflow === 'string' ? [job.workflow] : []));
  const includes = Object.entries(jobs).flatMap(([job, given]) => {
    const { workflow, include } = given ?? {};
    if (typeof workflow !== 'string' || !isTexts(include) || isPipeline(workflow, undefined)) return [];
    return [{ job, script: workflow, paths: include }];
  });
  return { named: [...new Set(named)], includes };
}

/** What else stands there is for the check of the pipeline to refuse. */
const isTexts = (given: unknown): given is string[] =>
  Array.isArray(given) && given.length > 0 && given.every((one) => typeof one === 'string');

async function read(source: string): Promise<Pipeline> {
  const { parseDocument } = await import('yaml');
  try {
    // Whether a key occurs twice is for the check to say; the parser would compare each key with all others.
    const document = parseDocument(source, { merge: true, uniqueKeys: false, logLevel: 'silent' });
    return document.errors.length > 0 ? {} : ((document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {}) as Pipeline);
  } catch (error) {
    // Anchors without an end, or brackets too deep: the check names the place.
    if (error instanceof ReferenceError || error instanceof RangeError) return {};
    throw error;
  }
}
