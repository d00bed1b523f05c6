import { Errors, Expressions, type LocalTool } from '../../../../kernel/contracts/index.ts';
import { formatProblem, ManifestErrors, ManifestReading, type ReadManifests } from '../../manifests/contract.ts';
import type { ConnectorAction, ConnectorValues } from '../contract.ts';
import { actionList, compileConnector } from '../service/compile-connectors.ts';
import { render } from '../service/render.ts';

/** `svc connector render <connector>.<action>` prints the request that would be sent, with `***` for the credential. */
export const renderTool: LocalTool = {
  name: 'connector-render',
  async run(use, { args, flags, env }) {
    const [type = ''] = args;
    const reading = use(ManifestReading);
    const manifests = typeof flags.from === 'string' ? await reading.read([flags.from]) : await reading.installed(env);
    const action = findAction(type, manifests, use(Expressions));
    const { request, text } = render(action, {
      with: parseValues(flags.with, '--with'),
      input: parseValues(flags.input, '--input'),
      key: typeof flags.key === 'string' ? flags.key : undefined,
      named: typeof flags.credential === 'string',
    });
    return { json: request, text };
  },
};

export function findAction(
  type: string,
  { connectors, problems }: ReadManifests,
  expressions: Expressions,
): ConnectorAction {
  const compiled = connectors.map((one) => ({ origin: one.origin, ...compileConnector(one, expressions) }));
  const compiled_actions = actionList(compiled.flatMap(({ actions }) => actions));
  const action = compiled_actions.find(type);
  if (action) return action;
  const all = [
    ...problems,
    ...compiled.flatMap((one) => one.problems.map((problem) => ({ file: one.origin, ...problem }))),
  ];
  if (all.length > 0)
    throw ManifestErrors.connectorInvalid(
      all.map(({ file, ...problem }) => `${file}: ${formatProblem(problem)}`).join('\n'),
    );
  const types = compiled_actions.all().map((one) => one.type);
  throw Errors.notFound(`no connector has the action ${type.slice(0, 128)}; there are ${types.join(', ')}`);
}

export function parseValues(text: unknown, flag: string): ConnectorValues {
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
