import { type Api, readInput, type Run } from '../../../../cli/contract.ts';
import { findQuestion, signalPath } from './questions.ts';

export const run: Run = async ({ args, flags, output, client, stdin }) => {
  const api = await client();
  const [run_id = '', named] = args;
  const { name, question } = await findQuestion(api, run_id, named);
  const data =
    flags.data === undefined ? undefined : await readInput(flags.data as readonly string[], 'data', { stdin });
  const body = question
    ? (data ?? defaultAnswer(question))
    : { approved: true, by: await callerName(api), ...toObject(data) };
  const sent = await api.json<Api.SentSignal>({ method: 'POST', path: signalPath(api, run_id, name), body });
  output.data({ run_id, signal: name, state: sent.state }, () => '');
  output.note(
    sent.state === 'taken'
      ? `Approved ${name} of ${run_id}`
      : `Queued the answer: nothing in ${run_id} is waiting for ${name} yet`,
  );
  return undefined;
};

/** A form is answered with its defaults when no data was given. */
function defaultAnswer({ form }: Api.Question): unknown {
  if (form === undefined) return { approved: true };
  const properties = (form.properties ?? {}) as Record<string, { default?: unknown }>;
  const defaults = Object.entries(properties).flatMap(([key, value]) =>
    value.default === undefined ? [] : [[key, value.default]],
  );
  return Object.fromEntries(defaults);
}

const toObject = (data: unknown): object => (typeof data === 'object' && data !== null ? data : {});

async function callerName(api: Parameters<typeof findQuestion>[0]): Promise<string> {
  const { user } = await api.json<Api.Whoami>({ path: '/api/v1/whoami' });
  return user.name;
}
