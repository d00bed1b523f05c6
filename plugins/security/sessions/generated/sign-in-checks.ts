// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface SignInChecks {
  checks: {
    method: string;
    ok: boolean;
    says: string;
  }[];
}
