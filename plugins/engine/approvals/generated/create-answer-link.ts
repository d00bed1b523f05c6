// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface CreateAnswerLink {
  /**
   * The recipient of the link, such as an email address. The run records it with the answer.
   */
  for?: string;
  /**
   * A duration such as `2d`, at most 30d. The default is 24h.
   */
  expires_in?: string;
}
