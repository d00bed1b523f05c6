import { type Api, type Client, CliError, Exit, type Invocation, type Run } from '../../../../cli/contract.ts';
import { describeRun } from './describe.ts';

export const pause: Run = (invocation) =>
  changeEach(invocation, { verb: 'pause', body: { reason: invocation.flags.reason } });

export const resume: Run = (invocation) => changeEach(invocation, { verb: 'resume' });

interface EachChange {
  verb: 'pause' | 'resume';
  body?: { reason: unknown };
}

/** Pauses or resumes the runs that the arguments name. An error at one does not keep the others from it. */
async function changeEach({ args, output, client }: Invocation, change: EachChange): Promise<number> {
  const api = await client();
  const runs: Api.RunRecord[] = [];
  const errors: CliError[] = [];
  for (const run_id of args)
    try {
      runs.push(await changeOne(api, run_id, change));
    } catch (error) {
      if (!(error instanceof CliError) || error.exit !== Exit.failed || args.length === 1) throw error;
      errors.push(error);
      output.note(`${run_id}: ${error.message} (${error.code})`);
    }
  output.data(args.length === 1 ? runs[0] : { runs }, () => runs.map((run) => describeRun(run, output)).join('\n\n'));
  return errors.length > 0 ? Exit.failed : Exit.ok;
}

export const changeOne = (api: Client, run_id: string, { verb, body }: EachChange): Promise<Api.RunRecord> =>
  api.json<Api.RunRecord>({ method: 'POST', path: api.scoped(`/runs/${encodeURIComponent(run_id)}/${verb}`), body });
