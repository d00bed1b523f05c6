import { Errors } from '../../../../kernel/contracts/index.ts';
import type { LiveTopic } from '../contract.ts';

/** Topics of one stream. */
export const MAX_TOPICS = 16;

export interface RequestedTopic {
  topic: LiveTopic;
  argument: string;
  /** `events`, `run:run_01…`. */
  key: string;
}

/** Parses `?topics=` without duplicates. Throws `invalid_request` and names the first unknown topic. */
export function parseTopics(text: string, topics: readonly LiveTopic[]): RequestedTopic[] {
  const keys = [...new Set(text.split(','))];
  if (keys.length > MAX_TOPICS) throw invalidTopics(`has ${keys.length} topics; at most ${MAX_TOPICS} are allowed`);
  return keys.map((key) => {
    const colon = key.indexOf(':') + 1;
    const [name, argument] = colon === 0 ? [key, ''] : [key.slice(0, colon), key.slice(colon)];
    const topic = topics.find((one) => one.name === name);
    if (!topic)
      throw invalidTopics(`names ${JSON.stringify(key.slice(0, 64))}, which is not one of ${listTopics(topics)}`);
    if (colon > 0 && argument === '') throw invalidTopics(`names ${name} without an ID after the colon`);
    return { topic, argument, key };
  });
}

const listTopics = (topics: readonly LiveTopic[]): string =>
  topics
    .map(({ name }) => (name.endsWith(':') ? `${name}<id>` : name))
    .toSorted()
    .join(', ');

const invalidTopics = (message: string) =>
  Errors.invalidRequest(`topics ${message}`, { errors: [{ pointer: '/query/topics', message }] });
