import { type Access, extensionPoint, type Scope } from '../../../kernel/contracts/index.ts';

/** A message to everybody who looks: a hint with enough to patch a list. */
export interface LiveMessage {
  /** `run`, `event`; the type of the server-sent event. */
  event: string;
  /** JSON. Shown as it is to everybody who may read the topic, so secret values are masked. */
  data: unknown;
}

/** Where a topic sends what it reads. */
export interface LiveFeed {
  send(messages: readonly LiveMessage[]): void;
  /** Changes were lost: everybody who looks reads again. */
  reset(): void;
}

/** Ends what it belongs to; resolves when nothing of it is under way any more. */
export type LiveStop = () => Promise<void>;

/** Something of a project that people look at while it changes. */
export interface LiveTopic {
  /** `events`; with a colon at the end a family, of which each member has its argument behind it: `run:`. */
  name: string;
  /** What it tells of, in a few words; for the interface's document. */
  about: string;
  /** As for the list that it belongs to. */
  access: Access;
  /** Throws `not_found` for an argument that the project does not have. Of families only. */
  check?(scope: Scope, argument: string): Promise<void>;
  /**
   * Begins to read, once for everybody on this server who looks at this topic of the project, however many they are. What
   * changes after it has resolved is sent.
   */
  open(scope: Scope, argument: string, feed: LiveFeed): Promise<LiveStop>;
}

/** Topics of `GET {scoped}/live`. */
export const LiveTopics = extensionPoint<LiveTopic>('live.LiveTopics', {
  key: ({ name }) => name,
  check: ({ name }) => (/^[a-z][a-z-]{0,30}:?$/.test(name) ? undefined : `${name} is no name of a topic`),
});
