// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What uses a credential.
 */
export interface CredentialUses {
  name: string;
  uses: {
    kind: string;
    name: string;
    detail: string;
  }[];
  more: boolean;
}
