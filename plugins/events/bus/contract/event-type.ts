/** Returns why a text is not a valid event type, or undefined. Types have 1 to 64 characters of `[A-Za-z0-9._-]`. */
export const validateEventType = (type: string): string | undefined =>
  /^[A-Za-z0-9._-]{1,64}$/.test(type) ? undefined : 'must have 1 to 64 characters from A-Z a-z 0-9 . _ -';
