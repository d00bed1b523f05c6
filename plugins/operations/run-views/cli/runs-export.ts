import type { Run } from '../../../../cli/contract.ts';
import { FILTER_FLAGS } from './filter-flags.ts';

const RUN_LINE = /^(?:\{"run_id":")?(run_[0-9A-Z]{26})[",]/;

/** Prints whole lines only, so that an interrupted export can be continued after its last run. */
export const run: Run = async ({ flags, output, client }) => {
  const api = await client();
  const { status, paused, view, format, before, ...others } = flags;
  const names = Object.keys(FILTER_FLAGS).filter((name) => name !== 'status' && name !== 'paused');
  const filter = Object.fromEntries(names.map((name) => [name, others[name] as string | undefined]));
  const statuses = status as readonly string[];
  const query = {
    ...filter,
    view: view as string | undefined,
    status: statuses.length > 0 ? statuses.join(',') : undefined,
    paused: paused ? 'true' : undefined,
    format: output.json ? 'jsonl' : String(format ?? 'jsonl'),
    before: before as string | undefined,
  };
  let rest = Buffer.alloc(0);
  let last = before as string | undefined;
  try {
    for await (const chunk of api.chunks({ path: api.scoped('/run-export'), query })) {
      rest = Buffer.concat([rest, chunk]);
      const end = rest.lastIndexOf('\n') + 1;
      if (end === 0) continue;
      const lines = rest.subarray(0, end);
      if (output.json) output.values(lines.toString());
      else output.write(lines);
      const start = lines.lastIndexOf('\n', end - 2) + 1;
      last = RUN_LINE.exec(lines.toString('utf8', start))?.[1] ?? last;
      rest = rest.subarray(end);
    }
  } catch (error) {
    if (last !== undefined) output.note(`the export was interrupted; continue it with --before ${last}`);
    throw error;
  }
  return undefined;
};
