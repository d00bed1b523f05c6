import { type Api, type Run, usageError } from '../../../../cli/contract.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const [letter] = args;
  const { handler, type, before, all } = flags;
  const selects = [handler, type, before].some((value) => value !== undefined) || all === true;
  if ((letter === undefined) !== selects)
    throw usageError(
      letter === undefined ? 'the dead letter is missing' : 'a dead letter and filters cannot be combined',
      'name one (svc dead-letter ls), or select several with --handler, --type, --before or --all',
    );
  const api = await client();
  if (letter !== undefined) {
    await api.json({ method: 'DELETE', path: api.scoped(`/dead-letters/${encodeURIComponent(letter)}`) });
    output.note(`Dismissed ${letter}`);
    return undefined;
  }
  let dismissed = 0;
  for (let complete = false; !complete; ) {
    const body = { handler, type, before };
    const path = api.scoped('/dead-letters/dismiss');
    const page = await api.json<Api.DismissedDeadLetters>({ method: 'POST', path, body });
    dismissed += page.dismissed;
    complete = page.complete;
  }
  output.data({ dismissed }, () => String(dismissed));
  return undefined;
};
