import { type Access, extensionPoint, type Scope } from '../../../../kernel/contracts/index.ts';

/** Something that cannot continue until a person acts. */
export interface AttentionItem {
  /** For example `account` or `credential`. */
  kind: string;
  name: string;
  /** For example `needs_reauth` or `missing`. */
  state: string;
  /** Why it needs attention, or where it is used, in one sentence. It must not contain a secret value. */
  detail: string;
  /** The graph that uses it. */
  graph?: string;
}

/** Finds what needs attention. It is called every few seconds while anybody looks at the overview, however many they are. */
export interface AttentionSource {
  name: string;
  /** The same as for the list of these resources. */
  access: Access;
  /** Returns at most `limit` items. */
  list(scope: Scope, limit: number): Promise<readonly AttentionItem[]>;
}

export const Attention = extensionPoint<AttentionSource>('summary.Attention', { key: ({ name }) => name });
