import { type Api, namedPath, put, readWorkflow, type Run, sendIncluded, usageError } from '../../../cli/contract.ts';

export const run: Run = async (invocation) => {
  const { args, flags } = invocation;
  const on = (flags.on as readonly string[]).flatMap((patterns) =>
    patterns.split(',').map((pattern) => pattern.trim()),
  );
  if (on.length === 0) throw usageError('--on is missing', "name the event types that start it, like --on 'run.*'");
  const workflow = await readWorkflow(args[1], invocation);
  await sendIncluded(await invocation.client(), workflow);
  const body = { on, when: flags.when, ...workflow };
  await put<Api.HandlerView>(invocation, {
    path: namedPath('/handlers'),
    body,
    said: (made, answer) => `handler ${args[0]} is ${made ? 'created' : 'replaced'}; it serves ${answer.on.join(', ')}`,
  });
  return undefined;
};
