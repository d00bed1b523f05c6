import { type Api, Exit, type Run } from '../../../../cli/contract.ts';
import { storedPath } from './document.ts';

type Required = Api.GraphRequirements['credentials'][number];

const stateOf = ({ state, required_kind, stored_kind }: Required): string =>
  state === 'wrong_kind' ? `wrong_kind: it is ${stored_kind}, but must be ${required_kind}` : state;

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const { path, query } = storedPath(api, args[0]!);
  const report = await api.json<Api.GraphRequirements>({ path: `${path}/requirements`, query });
  const rows = report.credentials.map((one) => [one.node_id, one.name, stateOf(one)]);
  output.data(report, () => (rows.length > 0 ? output.table(['node', 'credential', 'state'], rows) : ''));
  output.note(`graph ${args[0]} is ${report.ready ? 'ready' : 'not ready'}`);
  return report.ready ? undefined : Exit.failed;
};
