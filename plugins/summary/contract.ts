import { type Access, extensionPoint, type Scope } from '../../kernel/contracts/index.ts';

/** Something that goes on only when somebody does something. */
export interface AttentionItem {
  /** `account`, `credential`. */
  kind: string;
  name: string;
  /** `needs_reauth`, `missing`. */
  state: string;
  /** Why, or where it is needed, in one sentence. No secret value. */
  detail: string;
  /** The graph that needs it. */
  graph?: string;
}

/** Finds what needs somebody. It is asked every few seconds while somebody looks, however many they are. */
export interface AttentionSource {
  name: string;
  /** As for the list that shows the same. */
  access: Access;
  /** At most `limit`. */
  list(scope: Scope, limit: number): Promise<readonly AttentionItem[]>;
}

export const Attention = extensionPoint<AttentionSource>('summary.Attention', { key: ({ name }) => name });
