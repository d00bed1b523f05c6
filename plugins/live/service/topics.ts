import { Errors } from '../../../kernel/contracts/index.ts';
import type { LiveTopic } from '../contract.ts';

/** Topics of one stream. */
export const MAX_TOPICS = 16;

export interface AskedTopic {
  topic: LiveTopic;
  argument: string;
  /** `events`, `run:run_01…`. */
  key: string;
}

/** The topics of `?topics=`, each once. Throws `invalid_request` naming the first that there is none of. */
export function askedTopics(text: string, topics: readonly LiveTopic[]): AskedTopic[] {
  const keys = [...new Set(text.split(','))];
  if (keys.length > MAX_TOPICS) throw wrong(`has ${keys.length} topics; at most ${MAX_TOPICS} are allowed`);
  return keys.map((key) => {
    const colon = key.indexOf(':') + 1;
    const [name, argument] = colon === 0 ? [key, ''] : [key.slice(0, colon), key.slice(colon)];
    const topic = topics.find((one) => one.name === name);
    if (!topic) throw wrong(`names ${JSON.stringify(key.slice(0, 64))}, which is none of ${known(topics)}`);
    if (colon > 0 && argument === '') throw wrong(`names ${name} without an id behind the colon`);
    return { topic, argument, key };
  });
}

const known = (topics: readonly LiveTopic[]): string =>
  topics
    .map(({ name }) => (name.endsWith(':') ? `${name}<id>` : name))
    .toSorted()
    .join(', ');

const wrong = (message: string) =>
  Errors.invalidRequest(`topics ${message}`, { errors: [{ pointer: '/query/topics', message }] });
