import { type Api, everything, type Run, usageError } from '../../../cli/contract.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const types = await everything<Api.GraphNodeTypeView>(api, api.scoped('/node-types'), 'node_types');
  const [wanted] = args;
  if (wanted === undefined) {
    output.data({ node_types: types }, () =>
      output.table(
        ['type', 'title'],
        types.map((one) => [one.type, one.title]),
      ),
    );
    return undefined;
  }
  const found = types.find(({ type }) => type === wanted);
  if (!found) throw usageError(`there is no type of node ${wanted}`, '`svc graph types` lists them');
  output.data(found, () => `${found.type}: ${found.title}\n${JSON.stringify(found.config, null, 2)}`);
  return undefined;
};
