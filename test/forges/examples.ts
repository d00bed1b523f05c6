import examples from '@octokit/webhooks-examples' with { type: 'json' };
import host31 from '@octokit/webhooks-examples/ghes-31/index.json' with { type: 'json' };
import host32 from '@octokit/webhooks-examples/ghes-32/index.json' with { type: 'json' };
import host33 from '@octokit/webhooks-examples/ghes-33/index.json' with { type: 'json' };
import host34 from '@octokit/webhooks-examples/ghes-34/index.json' with { type: 'json' };
import host35 from '@octokit/webhooks-examples/ghes-35/index.json' with { type: 'json' };
import { FORGE_B } from './forge-b-examples.ts';

interface Payload {
  action?: string;
  repository?: { full_name?: string };
}

type Documented = readonly { name: string; examples: Payload[] }[];
const FORGE_A = [examples, host31, host32, host33, host34, host35] as unknown as Documented[];

export interface Sent {
  forge: 'forge_a' | 'forge_b';
  event: string;
  payload: Payload;
}

/** Many are in every version alike. */
const once = new Map(
  FORGE_A.flat().flatMap(({ name: event, examples }) =>
    examples.map((payload): [string, Sent] => [
      `${event} ${JSON.stringify(payload)}`,
      { forge: 'forge_a', event, payload },
    ]),
  ),
);

/** Every payload that the documentation of forge_a and of five versions of its own-host edition shows, each once, and real-shaped ones of forge_b. */
export const SENT: Sent[] = [
  ...once.values(),
  ...FORGE_B.map(({ event, payload }): Sent => ({ forge: 'forge_b', event, payload })),
];
