import { type FlagValues, type Output, type Run, usageError } from '../../../../cli/contract.ts';
import { followLog, exitOnInterrupt, reportWaits } from './follow.ts';
import { exitCodeOf, waitForEnd } from './wait-for-end.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const query = toQuery(flags);
  if (flags.exitStatus && !flags.follow)
    throw usageError('--exit-status needs --follow', '`svc status` shows how a run ended');
  const api = await client();
  const run_id = encodeURIComponent(args[0]!);
  if (flags.follow) {
    const form = { timestamps: flags.timestamps === true, grep: toText(flags.grep), objects: output.json };
    const stay = exitOnInterrupt(args[0]!, output);
    const stop = reportWaits(api, args[0]!, output);
    try {
      await followLog(api, run_id, output, { query, form });
      return flags.exitStatus ? exitCodeOf(await waitForEnd(api, run_id, output)) : undefined;
    } finally {
      stop();
      stay();
    }
  }
  const shown = { timestamps: flags.timestamps ? true : undefined, format: output.json ? 'json' : undefined };
  const path = api.scoped(`/runs/${run_id}/logs`);
  const log = api.chunks({ path, query: { ...query, ...shown, grep: toText(flags.grep) } });
  const printed = await printLog(log, output);
  if (printed === 0)
    output.noteEmpty(query.step === undefined ? 'lines' : `lines of ${query.step}; svc steps lists them`);
  return undefined;
};

/** Objects go on in whole lines. Answers how many bytes there were. */
async function printLog(log: AsyncIterable<Buffer>, output: Output): Promise<number> {
  let bytes = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of log) {
    bytes += chunk.length;
    if (!output.json) {
      output.write(chunk);
      continue;
    }
    rest = Buffer.concat([rest, chunk]);
    const end = rest.lastIndexOf('\n') + 1;
    if (end > 0) output.values(rest.subarray(0, end).toString());
    rest = rest.subarray(end);
  }
  return bytes;
}

const toText = (flag: unknown): string | undefined => (flag === undefined ? undefined : String(flag));

/** What the server selects of any log. */
function toQuery({ tail, step, pass }: FlagValues) {
  if (pass !== undefined && !/^(all|last|[1-9]\d{0,8})$/.test(String(pass)))
    throw usageError(
      `--pass is "${String(pass)}"; it must be last, all or the number of a pass`,
      '`svc steps --json` shows the pass of each call',
    );
  return { tail: toText(tail), step: toText(step), pass: toText(pass) };
}
