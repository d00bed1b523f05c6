import {
  type Client,
  type Invocation,
  parseExact,
  readDocument,
  readWorkflow,
  type Run,
  sendIncluded,
  usageError,
} from '../../../../cli/contract.ts';
import { answerWaits } from './answer-waits.ts';
import { follow } from './follow.ts';
import { FollowedLines } from './followed-lines.ts';
import { parseNamedPayloads, type NamedPayload } from './named-payloads.ts';
import { skipTime } from './skip-time.ts';

async function sendSignals(api: Client, run_id: string, signals: readonly NamedPayload[]): Promise<void> {
  for (const { name, payload } of signals)
    await api.json({
      method: 'POST',
      path: api.scoped(`/runs/${run_id}/signals/${encodeURIComponent(name)}`),
      body: payload,
    });
}

/** Ctrl-C cancels the run, which ends the log in order; a second one exits at once. */
function cancelOnInterrupt(api: Client, run_id: string, output: Invocation['output']): () => void {
  let asked = false;
  const onSignal = () => {
    if (asked) process.exit(130);
    asked = true;
    const body = { reason: 'interrupted' };
    api
      .json({ method: 'POST', path: api.scoped(`/runs/${run_id}/cancel`), body })
      .catch((error: Error) => output.note(error.message));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
}

/** The event of a file, for the server to check. Throws a usage error for a text that is not JSON. */
async function readEvent(path: string, invocation: Invocation): Promise<unknown> {
  if (path === '-' && invocation.args[0] === '-')
    throw usageError('standard input cannot be both the workflow and the event', 'pass one of them as a file');
  const { source } = await readDocument(path, invocation, 'event');
  try {
    return parseExact(source);
  } catch (error) {
    throw usageError(
      `${path} is not JSON: ${(error as Error).message}`,
      'an event is an object with a type, as `svc events show <event-id> --json` prints it',
    );
  }
}

/** What the command line says, read before anything starts. */
async function readOptions(invocation: Invocation) {
  const { args, flags } = invocation;
  return {
    body: await readWorkflow(args[0], invocation),
    event: flags.event === undefined ? undefined : await readEvent(String(flags.event), invocation),
    signals: parseNamedPayloads('signal', flags.signal as readonly string[]),
    emits: parseNamedPayloads('emit', flags.emit as readonly string[]),
  };
}

/** Another command on the service of this one; what it prints is not the result of this one. */
async function saveArtifacts(invocation: Invocation, api: Client, run_id: string): Promise<void> {
  const folder = invocation.flags.artifacts;
  const get = invocation.commands.find(({ name }) => name === 'artifact get');
  if (folder === undefined || !get) return;
  const { run: save } = await get.load();
  const output = invocation.output.redirectToStderr();
  await save({ ...invocation, args: [run_id], flags: { output: folder }, output, client: async () => api });
}

export const run: Run = async (invocation) => {
  const { output } = invocation;
  const { body, event, signals, emits } = await readOptions(invocation);
  const {
    client: api,
    folder,
    clock,
    stop,
  } = await invocation.local({ skip_time: invocation.flags.skipTime === true });
  let release = () => {};
  let rest = async () => {};
  try {
    await sendIncluded(api, body);
    const [path, sent] = event === undefined ? ['/runs', body] : ['/trials', { ...body, event }];
    const { run_id } = await api.json<{ run_id: string }>({ method: 'POST', path: api.scoped(path), body: sent });
    release = cancelOnInterrupt(api, run_id, output);
    await sendSignals(api, run_id, signals);
    const [given, lines] = [{ emits, folder, output }, new FollowedLines(output)];
    rest = clock ? skipTime(api, { ...given, clock, run_id, lines }) : answerWaits(api, given);
    const exit = await follow(api, run_id, output, lines);
    await saveArtifacts(invocation, api, run_id);
    return exit;
  } finally {
    await rest();
    await stop();
    release();
  }
};
