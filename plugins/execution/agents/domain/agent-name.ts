/**
 * Up to 128 characters, without control characters and characters that change the direction of a line, because people
 * read it in lists.
 */
export const AGENT_NAME =
  '^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]{1,128}$';

export const isAgentName = (text: string): boolean => new RegExp(AGENT_NAME, 'u').test(text);
