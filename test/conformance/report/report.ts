import type { RuleVerdict, Scenario } from './verdicts.ts';

/** What `conformance.json` holds, from which the other forms are made. */
export interface Report {
  /** When the report was written; ISO 8601. */
  date: string;
  /** Without user and password. */
  base_url: string;
  suite_version: string;
  /** What the server says of itself; absent where it does not. */
  server_version?: string;
  /** Was the run for the specification alone? */
  spec_only: boolean;
  counts: { rules: Record<string, number>; scenarios: Record<string, number> };
  rules: RuleVerdict[];
  scenarios: Scenario[];
}
