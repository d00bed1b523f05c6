import { Errors } from '../../../kernel/contracts/index.ts';
import type { IncludedFile, JournaledVerb, Json, NewRun, Reading, RunCreation, RunLimits } from '../contract.ts';
import { leaseLost } from '../errors.ts';
import { isRunLimit } from '../store/admission.ts';
import { runsAbove } from '../store/calls.ts';
import { MAX_DEPTH } from '../store/depth.ts';
import { refused } from './call.ts';
import { countSpawn } from '../store/spawns.ts';
import { countStarted } from '../store/untrusted-runs.ts';
import { areFiles } from './given-files.ts';
import { inherited } from './inherited.ts';

/** The arguments of `svc spawn`. */
interface SpawnCall {
  source: string;
  filename?: string;
  kind?: string;
  tags: string[];
  files?: IncludedFile[];
}

/**
 * `svc spawn`: args `{source, filename?, kind?, tags?, files?}`. The child run and its record are written in one transaction,
 * so that a position spawns one run however often the script runs.
 */
export function spawnVerb(database: Reading, creation: () => RunCreation, limits: () => RunLimits): JournaledVerb {
  return {
    kind: 'spawn',
    async prepare(context, args) {
      const call = readCall(args);
      // A digest that it knows from somewhere gives a run no content.
      return creation().prepare({ ...call, ...(await inherited(database, context)) }, context.run_id);
    },
    async perform(tx, context, _args, prepared) {
      const child = prepared as NewRun;
      const { left } = await runsAbove(tx, context.run_id, MAX_DEPTH);
      if (left) throw leaseLost(`the run ${context.run_id} is to be cancelled with the run that called it`);
      try {
        await creation().createIn(tx, [child]);
        await countSpawn(tx, context, limits());
        const beyond = context.trusted ? undefined : await countStarted(tx, limits(), context.run_id, 1);
        if (beyond) throw beyond;
      } catch (error) {
        // An agent would ask again and again; nothing was written.
        if (isRunLimit(error)) return refused(error);
        throw error;
      }
      return { exit_code: 0, output: Buffer.from(`${child.run_id}\n`) };
    },
  };
}

function readCall(args: Json): SpawnCall {
  const given = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { source, filename, kind, tags = [], files, ...unknown } = given;
  const text = (value: Json | undefined): boolean => value === undefined || typeof value === 'string';
  const list = Array.isArray(tags) && tags.every((tag) => typeof tag === 'string');
  if (
    typeof source !== 'string' ||
    !text(filename) ||
    !text(kind) ||
    !list ||
    !areFiles(files) ||
    Object.keys(unknown).length > 0
  )
    throw Errors.invalidRequest('spawn takes a source, and perhaps a filename, a kind, tags and files');
  return {
    source,
    filename: filename as string | undefined,
    kind: kind as string | undefined,
    tags: tags as string[],
    ...(files !== undefined && { files: files as unknown as IncludedFile[] }),
  };
}
