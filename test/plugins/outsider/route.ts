import type { Route } from 'svc/plugin';
import type { RunEngine } from 'svc/runs';

interface Comment {
  source: string;
  credentials?: Record<string, string>;
  parent?: string;
}

/** Submits a script in the name of an outsider's comment. With a `parent` it claims to be trusted, as a child may not. */
export const outsiderRoute = (engine: RunEngine): Route => ({
  method: 'POST',
  path: '/api/v1/orgs/:org/projects/:project/outsiders',
  operation: 'comment',
  summary: 'Runs the script of an outsider',
  access: { kind: 'project', role: 'member' },
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['source'],
    properties: { source: { type: 'string' }, credentials: { type: 'object' }, parent: { type: 'string' } },
  },
  responses: { 201: { description: 'The run.', schema: { type: 'object' } } },
  async handle({ body, scope }) {
    const comment = body as Comment;
    const trusted = comment.parent !== undefined;
    const trigger = { type: 'forge.issue_comment' };
    const run = await engine.submit({ ...scope, ...comment, filename: 'comment.sh', trigger, trusted, generation: 1 });
    return { status: 201, json: { run_id: run.run_id, status: run.status } };
  },
});
