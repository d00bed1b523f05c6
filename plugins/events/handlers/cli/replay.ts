import { setTimeout } from 'node:timers/promises';
import {
  type Api,
  type Client,
  Exit,
  type Invocation,
  rememberSubmitted,
  type Run,
  usageError,
} from '../../../../cli/contract.ts';
import { summarizeReplay } from './replay-summary.ts';

/** Flags that select many events. */
const FILTERS = ['type', 'since', 'until', 'failed', 'limit', 'dryRun', 'noWait'] as const;
const POLL_MS = 500;

export const run: Run = (invocation) =>
  invocation.args[0] === undefined ? replayMany(invocation) : replayOne(invocation);

const keyOf = (key: unknown): Record<string, string> => (key === undefined ? {} : { 'idempotency-key': String(key) });

async function replayOne(invocation: Invocation): Promise<number | undefined> {
  const { args, flags, output, client } = invocation;
  const filter = FILTERS.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (filter !== undefined)
    throw usageError(
      `an event and --${filter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} cannot be combined`,
      'leave the event out to replay all events that match',
    );
  if (flags.handler === undefined)
    throw usageError(
      '--handler is missing',
      'set the handler to deliver the event to; svc handler ls lists the handlers',
    );
  const api = await client();
  const replay = await api.json<Api.ReplayedEvent>({
    method: 'POST',
    path: api.scoped(`/events/${encodeURIComponent(args[0]!)}/replay`),
    body: { handler: flags.handler, force: flags.force || undefined },
    headers: keyOf(flags.idempotencyKey),
  });
  if (replay.run_id !== undefined) await rememberSubmitted(api, invocation, replay.run_id);
  output.data(replay, () => replay.run_id ?? '');
  if (replay.duplicate) output.note('the idempotency key was used before; this is the first replay');
  if (replay.run_id !== undefined) return undefined;
  output.note(`no run has started; the replay is ${replay.state}: ${replay.reason}`);
  return 1;
}

async function replayMany({ flags, output, client }: Invocation): Promise<number | undefined> {
  const { type, handler, failed, since, until, limit, force, dryRun, noWait } = flags;
  if (type === undefined && handler === undefined && !failed)
    throw usageError(
      'the event is missing',
      'pass the ID of an event (svc events ls), or select several with --type, --handler or --failed',
    );
  const api = await client();
  const body = { type, handler, failed: failed || undefined, since, until, limit, force: force || undefined };
  const path = api.scoped('/event-replays');
  if (dryRun) {
    const preview = await api.json<Api.ReplayPreview>({ method: 'POST', path, body: { ...body, dry_run: true } });
    output.data(preview, () => preview.first.map(({ event, handler: name }) => `${event}  ${name}`).join('\n'));
    const { deliveries, complete } = preview;
    const count = `${deliveries}${complete ? '' : ' or more'} ${deliveries === 1 ? 'delivery' : 'deliveries'}`;
    output.note(`${count}; nothing was delivered, and predicates are evaluated only at delivery`);
    return undefined;
  }
  const begun = await api.json<Api.EventReplayView>({
    method: 'POST',
    path,
    body,
    headers: keyOf(flags.idempotencyKey),
  });
  if (begun.duplicate) output.note('the idempotency key was used before; this is the first replay');
  const replay = noWait ? begun : await untilEnded(api, begun);
  output.data(replay, () => replay.replay);
  output.note(summarizeReplay(replay));
  return replay.refused > 0 || replay.state === 'cancelled' ? Exit.failed : undefined;
}

async function untilEnded(api: Client, begun: Api.EventReplayView): Promise<Api.EventReplayView> {
  let replay = begun;
  while (replay.state === 'running') {
    await setTimeout(POLL_MS);
    replay = await api.json<Api.EventReplayView>({ path: api.scoped(`/event-replays/${begun.replay}`) });
  }
  return replay;
}
