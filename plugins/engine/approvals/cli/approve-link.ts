import type { Api, Run } from '../../../../cli/contract.ts';
import { findQuestion, signalPath } from './questions.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const [run_id = '', named] = args;
  const { name } = await findQuestion(api, run_id, named);
  const body = { for: flags.for, expires_in: flags.expires };
  const link = await api.json<Api.AnswerLink>({ method: 'POST', path: `${signalPath(api, run_id, name)}/links`, body });
  output.data(link, () => link.url);
  output.note(`Anyone who has the link can answer once, until ${link.expires_at}`);
  return undefined;
};
