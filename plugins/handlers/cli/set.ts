import { type Api, namedPath, put, readWorkflow, type Run, usageError } from '../../../cli/contract.ts';

export const run: Run = async (invocation) => {
  const { args, flags } = invocation;
  const on = (flags.on as readonly string[]).flatMap((patterns) =>
    patterns.split(',').map((pattern) => pattern.trim()),
  );
  if (on.length === 0) throw usageError('--on is missing', "name the event types that start it, like --on 'run.*'");
  const body = { on, when: flags.when, ...(await readWorkflow(args[1], invocation)) };
  await put<Api.HandlerView>(invocation, {
    path: namedPath('/handlers'),
    body,
    said: (made, answer) =>
      `handler ${args[0]} is ${made ? 'registered' : 'replaced'}; it serves ${answer.on.join(', ')}`,
  });
  return undefined;
};
