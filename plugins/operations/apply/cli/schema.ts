import { type Run, usageError } from '../../../../cli/contract.ts';
import { KINDS } from './project/kinds.ts';
import { readSchemas } from './project/schemas.ts';

export const run: Run = async ({ args, output, client }) => {
  const kind = KINDS.find(({ folder }) => folder === args[0]);
  if (!kind)
    throw usageError(`there is no kind ${args[0]}`, `choose one of ${KINDS.map(({ folder }) => folder).join(', ')}`);
  const schema = (await readSchemas(await client())).of(kind);
  output.data(schema, () => JSON.stringify(schema, null, 2));
  return undefined;
};
