// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The resources that use a credential.
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
