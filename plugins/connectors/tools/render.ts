import { Errors, Expressions, type LocalTool } from '../../../kernel/contracts/index.ts';
import { faultLine, ManifestErrors, ManifestReading, type ReadManifests } from '../../manifests/contract.ts';
import type { ConnectorAction, ConnectorValues } from '../contract.ts';
import { actionList, compileConnector } from '../service/compile-connectors.ts';
import { render } from '../service/render.ts';

/** `svc connector render <connector>.<action>`: the request that would be sent, with `***` for the credential. */
export const renderTool: LocalTool = {
  name: 'connector-render',
  async run(use, { args, flags, env }) {
    const [type = ''] = args;
    const reading = use(ManifestReading);
    const given = typeof flags.from === 'string' ? await reading.read([flags.from]) : await reading.installed(env);
    const action = find(type, given, use(Expressions));
    const { request, text } = render(action, {
      with: valuesOf(flags.with, '--with'),
      input: valuesOf(flags.input, '--input'),
      key: typeof flags.key === 'string' ? flags.key : undefined,
      named: typeof flags.credential === 'string',
    });
    return { json: request, text };
  },
};

function find(type: string, { connectors, faults }: ReadManifests, expressions: Expressions): ConnectorAction {
  const compiled = connectors.map((one) => ({ origin: one.origin, ...compileConnector(one, expressions) }));
  const found = actionList(compiled.flatMap(({ actions }) => actions));
  const action = found.find(type);
  if (action) return action;
  const all = [...faults, ...compiled.flatMap((one) => one.faults.map((fault) => ({ file: one.origin, ...fault })))];
  if (all.length > 0)
    throw ManifestErrors.connectorInvalid(all.map(({ file, ...fault }) => `${file}: ${faultLine(fault)}`).join('\n'));
  const known = found.all().map((one) => one.type);
  throw Errors.notFound(`no connector has the action ${type.slice(0, 128)}; there are ${known.join(', ')}`);
}

function valuesOf(text: unknown, flag: string): ConnectorValues {
  if (typeof text !== 'string') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw Errors.invalidRequest(`${flag} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw Errors.invalidRequest(`${flag} must be a JSON object, such as '{"text": "hello"}'`);
  return value as ConnectorValues;
}
