import type {
  AgentIdentity,
  AgentLink,
  AgentSession,
  AgentSessions,
  ChannelOp,
  ChannelPush,
  ChannelRequests,
} from '../contract.ts';
import { AgentErrors } from '../errors.ts';

/** Agent and server in one process: the same session, validation and responses without a wire. */
export class MemoryLink implements AgentLink {
  readonly #sessions: AgentSessions;
  readonly #identity: AgentIdentity;
  readonly #listeners: ((push: ChannelPush) => void)[] = [];
  #greet: () => Promise<void> = async () => {};
  #session: AgentSession | undefined;
  /** Set while a new session takes the place of the former one. */
  #reopening: Promise<void> | undefined;

  constructor(sessions: AgentSessions, identity: AgentIdentity) {
    this.#sessions = sessions;
    this.#identity = identity;
  }

  get connected(): boolean {
    return this.#session !== undefined;
  }

  async request<Op extends ChannelOp>(
    op: Op,
    body: ChannelRequests[Op]['body'],
  ): Promise<ChannelRequests[Op]['reply']> {
    if (op !== 'hello') await this.#reopening;
    if (!this.#session) throw AgentErrors.channelClosed('the channel is not open');
    return (await this.#session.handle(op, body)) as ChannelRequests[Op]['reply'];
  }

  onPush(listen: (push: ChannelPush) => void): void {
    this.#listeners.push(listen);
  }

  onConnect(greet: () => Promise<void>): void {
    this.#greet = greet;
  }

  async open(): Promise<void> {
    this.#session = this.#sessions.connect(this.#identity, (push) => {
      for (const listen of this.#listeners) listen(push);
    });
    await this.#greet();
  }

  async reconnect(): Promise<void> {
    const former = this.#session;
    if (former === undefined) return;
    this.#reopening = this.open();
    try {
      await this.#reopening;
    } finally {
      this.#reopening = undefined;
    }
    await former.close();
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }
}
