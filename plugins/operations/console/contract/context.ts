/** What a request of a module may have. */
export interface ConsoleRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * What the console gives to `mount`. Everything that it opens by this object ends when the person leaves the place; what it
 * opened otherwise is closed by the function that `mount` returns.
 */
export interface ConsoleContext {
  readonly org: string;
  readonly project: string;
  /** On the page of a run. */
  readonly run?: string;
  /** On the page of an event. */
  readonly event?: string;
  /** The person's role in the project. */
  may(role: 'viewer' | 'member' | 'admin'): boolean;
  /** `/locks` → `/api/v1/orgs/<org>/projects/<project>/locks`. */
  scoped(path: string): string;
  /**
   * A request with the person's session. `path` begins with `/api/`. Rejects with an error whose `message` says what the server
   * refused, or that it cannot be reached.
   */
  api(path: string, request?: ConsoleRequest): Promise<Response>;
  /**
   * Calls `on` for every change of these topics (`runs`, `run:<id>`, `events`, `accounts`, as of `{scoped}/live`), and with `reset`
   * when something may have been missed: read again then.
   */
  live(topics: string, on: (kind: string, data: unknown) => void): () => void;
  /** `/runs/<run>` → the address of that page of the project. A click on a link to it does not load the console anew. */
  href(path: string): string;
  navigate(path: string): void;
  theme(): 'light' | 'dark';
  onTheme(on: (theme: 'light' | 'dark') => void): () => void;
  /** A text that a run, a file or a far end wrote, with what could deceive made visible. Put it in text nodes. */
  visible(text: string): string;
  /** Shows an error in the module's place. */
  fail(error: unknown): void;
}

/** What a module of a page or a panel exports. */
export interface ConsoleModule {
  /** Fills the element. What it returns is called once, when the person leaves. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function of somebody else that returns nothing
  mount(element: HTMLElement, context: ConsoleContext): void | (() => void) | Promise<void | (() => void)>;
}
