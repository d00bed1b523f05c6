// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface AuditEntry {
  id: string;
  at: string;
  /**
   * Null for the operator (`svc admin`) and for the service itself.
   */
  principal: null | {
    kind: 'user' | 'agent';
    id: string;
    name: string;
    token_id: string;
  };
  action: string;
  subject: string;
  detail?: string;
  request_id: string;
  ip: string;
}
