import type { Clock, Log, Metrics } from '../../../../kernel/contracts/index.ts';
import type { WakeMessage, WakeRelay } from '../../runs/contract.ts';
import { decode, encode } from '../domain/messages.ts';
import type { WakeAddress } from '../domain/wake-url.ts';
import { NatsLink } from './nats-link.ts';
import { Outbox } from './outbox.ts';

export interface RelayDeps {
  address: WakeAddress;
  /**
   * The random name of the deployment, so that deployments that share a NATS server do not receive each other's
   * messages.
   */
  deployment: string;
  /**
   * Wake-ups announce commits that may not be visible here yet, so the database must catch up before they are
   * delivered.
   */
  catchUp: () => Promise<boolean>;
  relay: WakeRelay;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}

/**
 * Sends this process's wake-ups to other servers, and delivers theirs here. `onLocal` does not report delivered ones,
 * so no message circulates. The returned function stops it.
 */
export function startRelay({
  address,
  deployment,
  catchUp,
  relay,
  clock,
  log,
  metrics,
}: RelayDeps): () => Promise<void> {
  const messages = metrics.counter('svc_wake_messages_total', 'Wake-up messages, by outcome.', ['what']);
  let complained = false;
  const onMessage = (data: Uint8Array) => {
    const read = decode(data);
    if ('messages' in read) {
      messages.inc({ what: 'received' });
      const deliver = () => {
        for (const message of read.messages) relay.deliver(message);
      };
      catchUp().then(deliver, deliver);
      return;
    }
    messages.inc({ what: 'ignored' });
    if (!complained)
      log.warn(
        { reason: read.error },
        'ignoring a NATS message that is not a valid wake-up; later ones are not logged',
      );
    complained = true;
  };
  const link = new NatsLink({ address, subject: `svc.wake.${deployment}`, clock, log, onMessage });
  const outbox = new Outbox(clock, (waiting) => {
    messages.inc({ what: link.publish(encode(waiting)) ? 'sent' : 'unsent' });
  });
  metrics.gauge(
    'svc_wake_connected',
    '1 if the connection to NATS for wake-ups between servers is open, otherwise 0.',
    () => (link.connected ? 1 : 0),
  );
  const off = relay.onLocal((message: WakeMessage) => outbox.add(message));
  const close = link.start();
  return async () => {
    off();
    outbox.close();
    await close();
  };
}
