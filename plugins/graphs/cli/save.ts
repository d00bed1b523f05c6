import { type Api, namedPath, put, type Run } from '../../../cli/contract.ts';
import { readGraph } from './document.ts';

export const run: Run = async (invocation) => {
  const { args } = invocation;
  await put<Api.SavedGraph>(invocation, {
    path: namedPath('/graphs'),
    body: await readGraph(args[1]!, invocation),
    said: (_made, { version_number }) => `graph ${args[0]} is saved as version ${version_number}`,
  });
  return undefined;
};
