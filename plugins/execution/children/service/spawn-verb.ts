import { Errors, isServiceError } from '../../../../kernel/contracts/index.ts';
import {
  type IncludedFile,
  type JournaledVerb,
  type Json,
  leaseLost,
  MAX_RUN_DEPTH,
  type NewRun,
  type Reading,
  type RunCreation,
  runLimit,
} from '../../../engine/runs/contract.ts';
import { rejectionOutcome } from '../domain/call-outcomes.ts';
import { areIncludedFiles } from '../domain/included-files.ts';
import { readAncestry } from '../store/calls.ts';

/** The arguments of `svc spawn`. */
interface SpawnArguments {
  source: string;
  filename?: string;
  kind?: string;
  tags: string[];
  files?: IncludedFile[];
}

/**
 * `svc spawn`, with the arguments `{source, filename?, kind?, tags?, files?}`. The new run and its record are written in one
 * transaction, so that a position spawns one run however often the script runs.
 */
export function spawnVerb(database: Reading, creation: () => RunCreation): JournaledVerb {
  return {
    kind: 'spawn',
    async prepare(context, args) {
      const spawn = parseSpawn(args);
      // The run that spawns may name only files that it has: a digest that it knows from elsewhere gives a run no content.
      return creation().prepare({ ...spawn, ...(await creation().inherit(database, context)) }, context.run_id);
    },
    async perform(tx, context, _args, prepared) {
      const run = prepared as NewRun;
      const { abandoned } = await readAncestry(tx, context.run_id, MAX_RUN_DEPTH);
      if (abandoned) throw leaseLost(`the run ${context.run_id} is being cancelled with the run that called it`);
      try {
        await creation().createIn(tx, [run]);
        await creation().countSpawn(tx, context);
        const rejection = context.trusted ? undefined : await creation().countStarted(tx, context.run_id, 1);
        if (rejection) throw rejection;
      } catch (error) {
        // An agent would ask again and again. Nothing was written.
        if (isServiceError(error, runLimit.code)) return rejectionOutcome(error);
        throw error;
      }
      return { exit_code: 0, output: Buffer.from(`${run.run_id}\n`) };
    },
  };
}

function parseSpawn(args: Json): SpawnArguments {
  const object = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { source, filename, kind, tags = [], files, ...unknown } = object;
  const isOptionalText = (value: Json | undefined): boolean => value === undefined || typeof value === 'string';
  const areTexts = Array.isArray(tags) && tags.every((tag) => typeof tag === 'string');
  if (
    typeof source !== 'string' ||
    !isOptionalText(filename) ||
    !isOptionalText(kind) ||
    !areTexts ||
    !areIncludedFiles(files) ||
    Object.keys(unknown).length > 0
  )
    throw Errors.invalidRequest('spawn accepts a source, and optionally a filename, a kind, tags and files');
  return {
    source,
    filename: filename as string | undefined,
    kind: kind as string | undefined,
    tags: tags as string[],
    ...(files !== undefined && { files: files as unknown as IncludedFile[] }),
  };
}
