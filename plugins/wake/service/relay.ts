import type { Clock, Log, Metrics } from '../../../kernel/contracts/index.ts';
import type { WakeMessage, WakeRelay } from '../../runs/contract.ts';
import { decode, encode } from '../domain/messages.ts';
import type { WakeAddress } from '../domain/wake-url.ts';
import { NatsLink } from './nats-link.ts';
import { Outbox } from './outbox.ts';

export interface RelayParts {
  address: WakeAddress;
  /** Random name of the deployment: two of them on one NATS never hear each other. */
  deployment: string;
  relay: WakeRelay;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}

/**
 * Sends on what this process says of itself, and says here what others sent. What came from others is never sent on, for
 * `onLocal` does not tell of it: no message goes in circles. The returned function ends it.
 */
export function startRelay({ address, deployment, relay, clock, log, metrics }: RelayParts): () => Promise<void> {
  const messages = metrics.counter('svc_wake_messages_total', 'Messages of wake-ups, by what became of them.', [
    'what',
  ]);
  let complained = false;
  const onMessage = (data: Uint8Array) => {
    const read = decode(data);
    if ('messages' in read) {
      messages.inc({ what: 'received' });
      for (const message of read.messages) relay.deliver(message);
      return;
    }
    messages.inc({ what: 'ignored' });
    if (!complained) log.warn({ reason: read.fault }, 'a message that is no wake-up is ignored, and all further ones');
    complained = true;
  };
  const link = new NatsLink({ address, subject: `svc.wake.${deployment}`, clock, log, onMessage });
  const outbox = new Outbox(clock, (waiting) => {
    messages.inc({ what: link.publish(encode(waiting)) ? 'sent' : 'unsent' });
  });
  metrics.gauge('svc_wake_connected', 'Is NATS there, for wake-ups between servers? 1 or 0.', () =>
    link.connected ? 1 : 0,
  );
  const off = relay.onLocal((message: WakeMessage) => outbox.say(message));
  const close = link.start();
  return async () => {
    off();
    outbox.close();
    await close();
  };
}
