import type { Api, Run } from '../../../../cli/contract.ts';
import { findQuestion, signalPath } from './questions.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const [run_id = '', named] = args;
  const { name } = await findQuestion(api, run_id, named);
  const path = `${signalPath(api, run_id, name)}/reject`;
  const body = flags.reason === undefined ? {} : { reason: flags.reason };
  const sent = await api.json<Api.SentSignal>({ method: 'POST', path, body });
  output.data({ run_id, signal: name, state: sent.state }, () => '');
  output.note(`Rejected ${name} of ${run_id}`);
  return undefined;
};
