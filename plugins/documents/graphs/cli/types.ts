import { type Api, readAll, type Run, usageError } from '../../../../cli/contract.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const types = await readAll<Api.GraphNodeTypeView>(api, api.scoped('/node-types'), 'node_types');
  const [type_name] = args;
  if (type_name === undefined) {
    output.data({ node_types: types }, () =>
      output.table(
        ['type', 'title'],
        types.map((one) => [one.type, one.title]),
      ),
    );
    return undefined;
  }
  const type = types.find(({ type }) => type === type_name);
  if (!type) throw usageError(`there is no node type ${type_name}`, '`svc graph types` lists them');
  output.data(type, () => `${type.type}: ${type.title}\n${JSON.stringify(type.config, null, 2)}`);
  return undefined;
};
