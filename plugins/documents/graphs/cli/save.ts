import { type Api, namedPath, putItem, type Run } from '../../../../cli/contract.ts';
import { readGraph } from './document.ts';

export const run: Run = async (invocation) => {
  const { args } = invocation;
  await putItem<Api.SavedGraph>(invocation, {
    path: namedPath('/graphs'),
    body: await readGraph(args[1]!, invocation),
    expects: ['version_number'],
    confirmation: (_made, { version_number }) => `Saved graph ${args[0]} as version ${version_number}`,
  });
  return undefined;
};
