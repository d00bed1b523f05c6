/** The connector of a type: `team_chat` of `team_chat.post_message`. */
export function connectorOf(type: string): string | undefined {
  const dot = type.indexOf('.');
  return dot > 0 && !type.startsWith('trigger.') ? type.slice(0, dot) : undefined;
}
