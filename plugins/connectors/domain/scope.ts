import type { ConnectorCall } from '../contract.ts';

/** What the holes of an action see. */
export type ActionScope = ConnectorCall;

export const ROOTS = ['with', 'input', 'node'] as const;

/** Says that an optional value is not given: its key is left out. */
export const ABSENT: unique symbol = Symbol('absent');
