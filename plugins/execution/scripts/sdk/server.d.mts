/** The server of a program, and where its token comes from. */
export interface Server {
  readonly url: string;
  readonly base: string;
  /** Only with an address of the form `unix:/path`. */
  readonly socketPath: string | undefined;
  readonly token: string;
  readonly org: string;
  readonly project: string;
  readonly origin: string;
}

export function findServer(env?: Readonly<Record<string, string | undefined>>, folder?: string): Promise<Server>;
