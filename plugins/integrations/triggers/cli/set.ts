import { type Api, type Client, namedPath, putItem, type Run, usageError } from '../../../../cli/contract.ts';
import { formatNext, type TriggerView } from './view.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output } = invocation;
  const [name = ''] = args;
  if (flags.connector === undefined)
    throw usageError(
      '--connector is missing',
      'set the connector that describes the list; svc connector ls lists the connectors',
    );
  const trigger = flags.trigger ?? (await onlyTrigger(await invocation.client(), String(flags.connector)));
  const { connector, credential, every, from } = flags;
  const values = { with: readValues(flags.with, '--with'), input: readValues(flags.input, '--input') };
  await putItem<TriggerView>(invocation, {
    path: namedPath('/triggers'),
    body: { connector, trigger, credential, every, from, ...values, paused: flags.paused || undefined },
    confirmation: (made, view) =>
      `${made ? 'Created' : 'Replaced'} trigger ${name}; ${view.paused ? formatNext(view, output) : `it polls every ${view.every}`}`,
  });
  return undefined;
};

/** The trigger of a connector that has only one. */
async function onlyTrigger(api: Client, connector: string): Promise<string> {
  const path = api.scoped(`/connectors/${encodeURIComponent(connector)}`);
  const { triggers = {} } = await api.json<Api.ConnectorManifest>({ path });
  const names = Object.keys(triggers);
  if (names.length === 1) return names[0]!;
  if (names.length === 0) throw usageError(`the connector ${connector} has no triggers`, 'choose another connector');
  throw usageError('--trigger is missing', `choose one of ${names.join(', ')}`);
}

function readValues(text: unknown, flag: string): object | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(String(text));
  } catch (error) {
    throw usageError(`${flag} is not JSON: ${(error as Error).message}`, `write an object: ${flag} '{"a": 1}'`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw usageError(`${flag} is not an object`, `write an object: ${flag} '{"a": 1}'`);
}
