// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface AnswerLink {
  /**
   * Anyone who has it can answer once, without an account. It is not stored.
   */
  url: string;
  expires_at: string;
}
