import {
  type Api,
  namedPath,
  putItem,
  readWorkflow,
  type Run,
  sendIncluded,
  suggestEmittedTypes,
  usageError,
} from '../../../../cli/contract.ts';
import { flowOptionsOf } from './flow-flags.ts';

export const run: Run = async (invocation) => {
  const { args, flags } = invocation;
  const on = (flags.on as readonly string[]).flatMap((patterns) =>
    patterns.split(',').map((pattern) => pattern.trim()),
  );
  if (on.length === 0)
    throw usageError('--on is missing', "set the event types that start it, for example --on 'run.*'");
  const options = flowOptionsOf(flags);
  const workflow = await readWorkflow(args[1], invocation);
  await sendIncluded(await invocation.client(), workflow);
  const body = { on, when: flags.when, ...options, ...workflow };
  await putItem<Api.HandlerView>(invocation, {
    path: namedPath('/handlers'),
    body,
    confirmation: (made, saved) => `${made ? 'Created' : 'Replaced'} handler ${args[0]} for ${saved.on.join(', ')}`,
  });
  const { output } = invocation;
  if (output.json) return undefined;
  for (const [type, suggestion] of await suggestEmittedTypes(await invocation.client(), on))
    output.note(`warning: this project has no ${type} event yet; did you mean \`${suggestion}\`?`);
  return undefined;
};
