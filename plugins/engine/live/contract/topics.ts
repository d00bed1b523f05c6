import { type Access, extensionPoint, type Scope } from '../../../../kernel/contracts/index.ts';

/** A message to all viewers of a topic: a hint with enough data to patch a list. */
export interface LiveMessage {
  /** The type of the server-sent event: `run`, `event`. */
  event: string;
  /** JSON data. Everybody who may read the topic receives it unchanged, so secret values must be masked. */
  data: unknown;
}

/** Receives what a topic reads. */
export interface LiveFeed {
  send(messages: readonly LiveMessage[]): void;
  /** Tells all viewers to reload, because changes were lost. */
  reset(): void;
}

/** Ends a reader. Resolves when none of its work is running any more. */
export type LiveStop = () => Promise<void>;

/** Something of a project that viewers follow while it changes. */
export interface LiveTopic {
  /**
   * The name of the topic, such as `events`. With a trailing colon it is a family whose members carry an argument:
   * `run:`.
   */
  name: string;
  /** A short description of its messages, for the API document. */
  description: string;
  /** The access rule of the list that the topic belongs to. */
  access: Access;
  /** Throws `not_found` for an argument that the project does not have. Of families only. */
  check?(scope: Scope, argument: string): Promise<void>;
  /**
   * Begins to read, once on this server for all viewers of this topic of the project. Changes are sent from the moment
   * it resolves.
   */
  open(scope: Scope, argument: string, feed: LiveFeed): Promise<LiveStop>;
}

/** Topics of `GET {scoped}/live`. */
export const LiveTopics = extensionPoint<LiveTopic>('live.LiveTopics', {
  key: ({ name }) => name,
  check: ({ name }) => (/^[a-z][a-z-]{0,30}:?$/.test(name) ? undefined : `${name} is not a topic`),
});
